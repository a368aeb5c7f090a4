import { Choice, Field } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

type Status = Schemas['CatalogueStatus'];

const stages = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;
const requirements = ['action_required', 'pickup_agency'] as const;

/** `GET /console/package-statuses` */
export async function showStatuses(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const params = { query: { page_size: 100, ...pageQuery(visit) } };
  const statuses = await dataOf(operator.GET('/operator/v1/package-statuses', { params }));
  show(
    visit,
    say(texts.statuses),
    <Listing
      visit={visit}
      caption={texts.statuses}
      columns={statusColumns(visit)}
      list={statuses}
      addition={{
        action: '/console/package-statuses',
        operation: 'POST /operator/v1/package-statuses',
        submit: texts.addStatus,
        children: <StatusFields visit={visit} form={form} />,
      }}
    />,
    { refusal },
  );
}

function StatusFields({ visit, form }: { visit: Visit; form: Form | undefined }) {
  return (
    <>
      <Field visit={visit} name="code" label={texts.code} isRequired inputMode="numeric" value={form?.text('code')} />
      <Field visit={visit} name="name" label={texts.name} isRequired value={form?.text('name')} />
      <Field visit={visit} name="description" label={texts.description} isRequired value={form?.text('description')} />
      <Choice
        visit={visit}
        name="stage"
        label={texts.stage}
        value={form?.text('stage') ?? 'processing'}
        options={stages.map((stage) => ({ value: stage, text: stage }))}
      />
      <Choice
        visit={visit}
        name="requirement"
        label={texts.requirement}
        value={form?.text('requirement')}
        options={[
          { value: '', text: visit.say(texts.nothing) },
          ...requirements.map((each) => ({ value: each, text: each })),
        ]}
      />
    </>
  );
}

const statusColumns = (visit: Visit): Column<Status>[] => [
  { heading: texts.code, cell: ({ code }) => code, isNumber: true },
  { heading: texts.name, cell: ({ high_level_status: name }) => name },
  { heading: texts.description, cell: ({ description }) => description },
  { heading: texts.requirement, cell: ({ requirement }) => requirement },
  { heading: texts.stage, cell: ({ stage }) => stage },
  { heading: texts.final, cell: ({ final }) => visit.say(final ? texts.yes : texts.no) },
];

/** `POST /console/package-statuses` */
export async function addStatus(visit: Visit, form: Form): Promise<void> {
  const stage = stages.find((each) => each === form.text('stage')) ?? 'processing';
  const requirement = requirements.find((each) => each === form.text('requirement'));
  const body = {
    code: Number(form.text('code')),
    high_level_status: form.text('name'),
    description: form.text('description'),
    stage,
    // A package's way ends at these stages, and only there.
    final: stage === 'completed' || stage === 'cancelled',
    ...(requirement && { requirement }),
  };
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  await dataOf(visit.operator.POST('/operator/v1/package-statuses', { params, body }));
  redirect(visit, '/console/package-statuses?done=saved');
}
