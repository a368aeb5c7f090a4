import { chosen, chosenIfAny } from '../../chosen.js';
import { Choice, Field } from '../../design/forms.js';
import { Addition, type Column, ListPage, pageQuery } from '../../design/tables.js';
import { orderStages } from '../../shared/words.js';
import { priceTexts as texts, valueWords } from '../../texts.js';
import { calling, type Schemas, type Visit } from '../../visit.js';
import { Say, Word } from '../../written.js';

const LIST = '/console/package-statuses';
const ADDITION = 'POST /operator/v1/package-statuses';

const requirementNames = ['action_required', 'pickup_agency'] as const;
const requirementOptions = [['', texts.nothing], ...Object.entries(valueWords.requirements)] as const;

export async function showStatuses(visit: Visit) {
  const query = { page_size: 100, ...pageQuery(visit) };
  const list = await visit.ask('GET /operator/v1/package-statuses', { query });
  return (
    <ListPage title={texts.statuses} columns={statusColumns} list={list}>
      <Addition action={LIST} operation={ADDITION} submit={texts.addStatus}>
        <Field name="code" label={texts.code} isRequired inputMode="numeric" />
        <Field name="name" label={texts.name} isRequired />
        <Field name="description" label={texts.description} isRequired />
        <Choice name="stage" label={texts.stage} value="processing" options={Object.entries(valueWords.stages)} />
        <Choice name="requirement" label={texts.requirement} options={requirementOptions} />
      </Addition>
    </ListPage>
  );
}

const statusColumns: readonly Column<Schemas['CatalogueStatus']>[] = [
  [texts.code, ({ code }) => code, 'number'],
  [texts.name, ({ high_level_status: name }) => name],
  [texts.description, ({ description }) => description],
  [texts.requirement, ({ requirement }) => requirement && <Word of={valueWords.requirements} value={requirement} />],
  [texts.stage, ({ stage }) => <Word of={valueWords.stages} value={stage} />],
  [texts.final, ({ final }) => <Say text={final ? texts.yes : texts.no} />],
];

export const addStatus = calling(ADDITION, LIST, 'saved', ({ form }) => {
  const { text } = form;
  const stage = chosen(form, 'stage', orderStages);
  return {
    code: Number(text('code')),
    high_level_status: text('name'),
    description: text('description'),
    stage,
    // A status is final exactly if it has one of these stages.
    final: stage === 'completed' || stage === 'cancelled',
    requirement: chosenIfAny(form, 'requirement', requirementNames),
  };
});
