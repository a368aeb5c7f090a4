import { isId } from '../../../base/ids.js';
import type { Text } from '../../language.js';
import { Choice, Facts, Field, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

type Task = Schemas['OperatorTask'];

const states = ['open', 'done'] as const;

const stateText = ({ say }: Visit, { state }: Pick<Task, 'state'>): string =>
  say(state === 'done' ? texts.done : texts.open);

/** `GET /console/tasks`: what waits for somebody; open ones unless the address says otherwise. */
export async function showTasks(visit: Visit): Promise<void> {
  const { operator, say, url } = visit;
  const [asked, userId, loggiKey] = ['state', 'user_id', 'loggi_key'].map((name) => url.searchParams.get(name) ?? '');
  const state = states.find((each) => each === (asked || 'open'));
  const query = {
    ...pageQuery(visit),
    ...(state && { state }),
    ...(isId(userId ?? '') && { user_id: userId ?? '' }),
    ...(isId(loggiKey ?? '') && { loggi_key: loggiKey ?? '' }),
  };
  const tasks = await dataOf(operator.GET('/operator/v1/tasks', { params: { query } }));
  const options = [...states.map((each) => ({ value: each, text: say(texts[each]) })), every(visit)];
  show(
    visit,
    say(texts.tasks),
    <Listing
      visit={visit}
      caption={texts.tasks}
      columns={[...taskColumns(visit), packageColumn]}
      list={tasks}
      empty={texts.noTasks}
      filters={<Choice visit={visit} name="state" label={texts.state} value={state ?? 'all'} options={options} />}
    />,
  );
}

const every = ({ say }: Visit) => ({ value: 'all', text: say(texts.every) });

export const taskColumns = (visit: Visit): Column<Task>[] => [
  {
    heading: texts.since,
    cell: ({ id, created_at: at }) => (
      <a href={`/console/tasks/${id}`}>
        <Time visit={visit} at={at} />
      </a>
    ),
  },
  {
    heading: texts.asked,
    cell: (task) =>
      askedOf(task)
        .map((each) => visit.say(each))
        .join(', '),
  },
  { heading: texts.note, cell: ({ note }) => note },
  { heading: texts.state, cell: (task) => stateText(visit, task) },
];

const packageColumn: Column<Task> = {
  heading: texts.package,
  cell: ({ loggi_key: key }) => <a href={`/console/packages/${key}`}>{key}</a>,
};

/** What the shipper wants to be otherwise. */
const askedOf = ({ phone, address, instructions }: Task): Text[] => [
  ...(phone === undefined ? [] : [texts.phone]),
  ...(address === undefined ? [] : [texts.address]),
  ...(instructions === undefined ? [] : [texts.instructions]),
];

const idOf = ({ req }: Visit): string => String(req.params['id']);

/** `GET /console/tasks/{id}` */
export async function showTask(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const task = await dataOf(operator.GET('/operator/v1/tasks/{id}', { params: { path: { id: idOf(visit) } } }));
  show(
    visit,
    say(texts.task),
    <>
      <TaskFacts visit={visit} task={task} />
      {task.state === 'done' ? null : (
        <section>
          <h2>{say(texts.complete)}</h2>
          <p>{say(texts.completeHint)}</p>
          <OperationForm
            visit={visit}
            action={`/console/tasks/${task.id}/completion`}
            operation="POST /operator/v1/tasks/{id}/completion"
            submit={texts.complete}
          >
            <Field
              visit={visit}
              name="note"
              label={texts.completionNote}
              hint={texts.noteHint}
              maxLength={1000}
              value={form?.text('note')}
            />
          </OperationForm>
        </section>
      )}
    </>,
    { refusal },
  );
}

function TaskFacts({ visit, task }: { visit: Visit; task: Task }) {
  const { address, completed_at: completedAt, completed_by: by } = task;
  const done = (field: 'phone' | 'address' | 'instructions') =>
    task[field] === undefined ? '' : ` (${visit.say(task.applied.includes(field) ? texts.applied : texts.toDecide)})`;
  return (
    <Facts
      visit={visit}
      facts={[
        [texts.state, stateText(visit, task)],
        [texts.since, <Time visit={visit} at={task.created_at} />],
        [texts.package, <a href={`/console/packages/${task.loggi_key}`}>{task.loggi_key}</a>],
        [texts.order, <a href={`/console/orders/${task.order_id}`}>{task.order_id}</a>],
        [texts.account, <a href={`/console/users/${task.user_id}`}>{task.user_id}</a>],
        [texts.phone, `${task.phone ?? '–'}${done('phone')}`],
        [
          texts.address,
          `${address ? [address.address, address.complement].filter(Boolean).join(', ') : '–'}${done('address')}`,
        ],
        [texts.instructions, `${task.instructions ?? '–'}${done('instructions')}`],
        [texts.note, task.note ?? '–'],
        [texts.completedAt, completedAt ? <Time visit={visit} at={completedAt} /> : '–'],
        [texts.completedBy, by ? <a href={`/console/users/${by}`}>{by}</a> : '–'],
        [texts.completionNote, task.completion_note ?? '–'],
      ]}
    />
  );
}

/** `POST /console/tasks/{id}/completion` */
export async function completeTask(visit: Visit, form: Form): Promise<void> {
  const note = form.optional('note');
  const params = { path: { id: idOf(visit) }, header: { 'Idempotency-Key': form.text('key') } };
  const body = note === undefined ? {} : { note };
  await dataOf(visit.operator.POST('/operator/v1/tasks/{id}/completion', { params, body }));
  redirect(visit, '/console/tasks?done=completed');
}
