import { Addition, Choice, type Column, Field, Listing, pageQuery } from '../../design/index.js';
import { Say, Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { keyed, redirect, type Visit } from '../../session/visit.js';
import { requirements, stages, priceTexts as texts } from '../../texts.js';
import { show } from '../frame.js';

const stageNames = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;
const requirementNames = ['action_required', 'pickup_agency'] as const;
const requirementOptions = [
  ['', texts.nothing],
  ...requirementNames.map((each) => [each, requirements[each] ?? each] as const),
] as const;

export async function showStatuses(visit: Visit): Promise<void> {
  const params = { query: { page_size: 100, ...pageQuery(visit) } };
  const statuses = await dataOf(visit.operator.GET('/operator/v1/package-statuses', { params }));
  show(
    visit,
    texts.statuses,
    <Listing caption={texts.statuses} columns={statusColumns} list={statuses}>
      <Addition
        action="/console/package-statuses"
        operation="POST /operator/v1/package-statuses"
        submit={texts.addStatus}
      >
        <Field name="code" label={texts.code} isRequired inputMode="numeric" />
        <Field name="name" label={texts.name} isRequired />
        <Field name="description" label={texts.description} isRequired />
        <Choice
          name="stage"
          label={texts.stage}
          value="processing"
          options={stageNames.map((stage) => [stage, stages[stage] ?? stage])}
        />
        <Choice name="requirement" label={texts.requirement} options={requirementOptions} />
      </Addition>
    </Listing>,
  );
}

const statusColumns: readonly Column<Schemas['CatalogueStatus']>[] = [
  [texts.code, ({ code }) => code, 'number'],
  [texts.name, ({ high_level_status: name }) => name],
  [texts.description, ({ description }) => description],
  [texts.requirement, ({ requirement }) => requirement && <Word of={requirements} value={requirement} />],
  [texts.stage, ({ stage }) => <Word of={stages} value={stage} />],
  [texts.final, ({ final }) => <Say text={final ? texts.yes : texts.no} />],
];

export async function addStatus(visit: Visit): Promise<void> {
  const { text } = visit.form;
  const stage = stageNames.find((each) => each === text('stage')) ?? 'processing';
  const requirement = requirementNames.find((each) => each === text('requirement'));
  const body = {
    code: Number(text('code')),
    high_level_status: text('name'),
    description: text('description'),
    stage,
    // A package's way ends at these stages, and only there.
    final: stage === 'completed' || stage === 'cancelled',
    ...(requirement && { requirement }),
  };
  await dataOf(visit.operator.POST('/operator/v1/package-statuses', { params: keyed(visit), body }));
  redirect(visit, '/console/package-statuses?done=saved');
}
