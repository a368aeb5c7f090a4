import type { VNode } from 'preact';
import { isId } from '../../../base/ids.js';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { Card, Chip, factList, TimeLink, Timeline } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery, TableIfAny } from '../../design/tables.js';
import { requestKinds } from '../../facts.js';
import { addressText, StatusChip } from '../../shared/words.js';
import { type Text, troubleTexts as texts, valueWords } from '../../texts.js';
import {
  asked,
  askedOf,
  calling,
  filledPath,
  type RestSchemas,
  type Schemas,
  useVisit,
  type Visit,
} from '../../visit.js';
import { DateText, Say, Time, useSay, Word } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';
import { entryOf } from '../packages/history.js';
import { type CatalogueEntry, catalogueOf } from '../packages/list.js';
import { confirmationOf, MovementFields, movementOf } from '../packages/movement.js';

const COMPLETION = 'POST /operator/v1/tasks/{id}/completion';

type Task = Schemas['OperatorTask'];

const states = ['open', 'done'] as const;
const taskKinds = ['answer', ...requestKinds] as const;

const State = ({ state }: Pick<Task, 'state'>) => <Say text={state === 'done' ? texts.done : texts.open} />;

/** Shows tasks in the state that the address names. The default is open tasks. */
export async function showTasks(visit: Visit): Promise<VNode> {
  const [userId, loggiKey] = [asked(visit, 'user_id'), asked(visit, 'loggi_key')];
  const state = states.find((each) => each === (asked(visit, 'state') || 'open'));
  const kind = askedOf(visit, 'kind', taskKinds);
  const ids = { ...(isId(userId) && { user_id: userId }), ...(isId(loggiKey) && { loggi_key: loggiKey }) };
  const tasks = await visit.ask('GET /operator/v1/tasks', { query: { ...pageQuery(visit), state, kind, ...ids } });
  const named = tasks.data.flatMap(({ user_id: user, loggi_key: key }) => [user, key]);
  const columns = [...taskColumns, ...recordColumns(await namesOf(visit, named))];
  const options = [...states.map((each) => [each, texts[each]] as const), ['all', texts.every] as const];
  const kinds = taskKinds.map((each) => [each, valueWords.requestKinds[each] ?? each] as const);
  const filters = [
    <Choice name="state" label={texts.state} value={state ?? 'all'} options={options} />,
    <Choice name="kind" label={texts.kind} value={kind ?? ''} options={[['', texts.anyKind], ...kinds]} />,
  ];
  return <ListPage title={texts.tasks} list={tasks} empty={texts.noTasks} {...{ columns, filters }} />;
}

export const taskColumns: readonly Column<Task>[] = [
  [texts.since, ({ id, created_at: at }) => <TimeLink href={`/console/tasks/${id}`} at={at} />],
  [texts.kind, ({ kind }) => <Word of={valueWords.requestKinds} value={kind} />],
  [texts.problem, ({ problem }) => <Word of={valueWords.inquiryProblems} value={problem} />],
  [texts.asked, (task) => corrections(task).map((field, at) => [at > 0 && ', ', <Say text={texts[field]} />])],
  [texts.note, ({ note }) => note],
  [texts.state, ({ state }) => <State state={state} />],
];

const recordColumns = (names: Names): readonly Column<Task>[] => [
  [texts.package, ({ loggi_key: id }) => <Named {...{ id, names }} />],
  [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />],
];

const correctable = ['phone', 'address', 'instructions'] as const;

const corrections = (task: Task) => correctable.filter((field) => task[field] !== undefined);

/** The statuses that usually continue a package after a task. */
const IN_TRANSIT = 3;
const RETURNING = 7;

interface CompletionProps {
  task: Task;
  package: Pick<Schemas['TrackedPackage'], 'location' | 'status'>;
  statuses: readonly CatalogueEntry[];
}

/** A form that completes the task by a movement and a note. A package with a final status takes only the note. */
function Completion({ task, package: { location, status: current }, statuses }: CompletionProps) {
  const { say } = useVisit();
  const common = { action: `/console/tasks/${task.id}/completion`, operation: COMPLETION } as const;
  const note = <Field name="note" label={texts.completionNote} hint={texts.noteHint} maxLength={1000} />;
  if (current.final)
    return (
      <Card title={texts.complete}>
        <PostForm {...common} submit={texts.complete} hidden={{ only: 'completion' }}>
          {note}
        </PostForm>
      </Card>
    );
  const beside = (
    <button type="submit" class="secondary" name="only" value="completion" formNoValidate>
      {say(texts.complete)}
    </button>
  );
  const preset = task.kind === 'stop_and_return' ? RETURNING : IN_TRANSIT;
  return (
    <Card title={texts.goesOn}>
      <PostForm {...common} beside={beside} submit={texts.resolve} hidden={{ loggi_key: task.loggi_key }}>
        <p>{say(texts.completeHint)}</p>
        <MovementFields {...{ statuses, location, current, preset }} />
        {note}
      </PostForm>
    </Card>
  );
}

interface Correction {
  name: Text;
  /** The package's value, or its value before an applied correction. Undefined if unknown or equal. */
  before: string | undefined;
  asked: string;
  isApplied: boolean;
}

/** The values that the shipper corrects, each with the previous value. */
function correctionsOf(
  task: Task,
  { recipient, address }: Schemas['TrackedPackage'],
  changes: readonly RestSchemas['PastAddressChange'][],
): Correction[] {
  const change = changes.find(({ to }) => to.address === task.address?.address);
  const all = [
    { field: 'recipient', name: texts.correctedName, present: recipient.name, asked: task.recipient?.name },
    { field: 'phone', name: texts.phone, present: recipient.phone, asked: task.phone ?? task.recipient?.phone },
    {
      field: 'address',
      name: texts.address,
      present: addressText(change?.from ?? address),
      asked: task.address && addressText(task.address),
    },
    { field: 'instructions', name: texts.instructions, present: undefined, asked: task.instructions },
  ] as const;
  return all.flatMap(({ field, name, present, asked: wanted }) => {
    const isApplied = task.applied.some((each) => each === field) || present === wanted;
    return wanted === undefined
      ? []
      : { name, before: present === wanted ? undefined : present, asked: wanted, isApplied };
  });
}

const correctionColumns: readonly Column<Correction>[] = [
  [texts.field, ({ name }) => <Say text={name} />],
  [texts.before, ({ before }) => before ?? '–'],
  [texts.wanted, ({ asked: wanted }) => <strong>{wanted}</strong>],
  [texts.state, ({ isApplied }) => <Decision isApplied={isApplied} />],
];

const Decision = ({ isApplied }: Pick<Correction, 'isApplied'>) => (
  <Chip stage={isApplied ? 'completed' : 'problem'} text={useSay()(isApplied ? texts.applied : texts.toDecide)} />
);

/** Shows the reason that stops the package, as the movement gave it. */
const problemOf = (reason: Schemas['PackageStatus']['action_required']) =>
  reason && [<strong>{reason.reason_label}</strong>, ' ', reason.reason_description];

export async function showTask(visit: Visit): Promise<VNode> {
  const { ask } = visit;
  const task = await ask('GET /operator/v1/tasks/{id}');
  const { loggi_key: key, order_id: order, user_id: user, completed_at: completedAt, completed_by: by } = task;
  const path = { loggi_key: key };
  const [names, statuses, about, history, changes] = await Promise.all([
    namesOf(visit, [key, order, user, by]),
    catalogueOf(visit),
    ask('GET /operator/v1/packages/{loggi_key}', { path }),
    ask('GET /operator/v1/packages/{loggi_key}/movements', { path, query: { page_size: 20 } }),
    ask('GET /api/v1/packages/{loggi_key}/address-changes', { path, query: { page_size: 20 } }),
  ]);
  const { status, recipient, address: deliveryAddress } = about;
  const side = task.state === 'open' && <Completion {...{ task, statuses }} package={about} />;
  const stopped = status.action_required ?? history.data.find((each) => each.action_required)?.action_required;
  return (
    <SplitPage title={texts.task} side={side}>
      {factList([
        [texts.kind, <Word of={valueWords.requestKinds} value={task.kind} />],
        [
          texts.problem,
          task.problem ? <Word of={valueWords.inquiryProblems} value={task.problem} /> : problemOf(stopped),
        ],
        [texts.note, task.note],
        [texts.day, task.day && <DateText at={task.day} />],
        [texts.state, <State state={task.state} />],
        [texts.since, <Time at={task.created_at} />],
      ])}
      <TableIfAny caption={texts.asked} columns={correctionColumns} rows={correctionsOf(task, about, changes.data)} />
      <Card title={texts.package}>
        {factList([
          [texts.recipientNow, [recipient.name, recipient.phone].join(', ')],
          [texts.deliveryAddress, addressText(deliveryAddress)],
          [texts.packageStatus, <StatusChip status={status} />],
          [texts.proofThen, task.proof && [<Time at={task.proof.delivered_at} />, ' ', task.proof.recipient_name]],
          [texts.package, <Named id={key} names={names} />],
          [texts.order, <Named id={order} names={names} />],
          [texts.account, <Named id={user} names={names} />],
        ])}
      </Card>
      {completedAt && (
        <Card title={texts.done}>
          {factList([
            [texts.completedAt, <Time at={completedAt} />],
            [texts.completedBy, by && <Named id={by} names={names} />],
            [texts.completionNote, task.completion_note],
          ])}
        </Card>
      )}
      <Card title={texts.history}>
        <Timeline entries={history.data.map((movement) => entryOf(movement, visit))} />
      </Card>
    </SplitPage>
  );
}

const isAlone = ({ form }: Visit): boolean => form.text('only') === 'completion';
const packageOf = ({ form }: Visit): string => form.text('loggi_key');

const complete = calling(COMPLETION, '/console/tasks', 'completed', (visit) => ({
  note: visit.form.optional('note'),
  movement: isAlone(visit) ? undefined : movementOf(visit, packageOf(visit)),
}));

/** Completes the task, together with a movement that continues the package if the operator wants one. */
export async function completeTask(visit: Visit): Promise<VNode | string> {
  const back = filledPath(visit, '/console/tasks/{id}');
  const confirmation = isAlone(visit) ? undefined : await confirmationOf(visit, { loggiKey: packageOf(visit), back });
  return confirmation ?? complete(visit);
}
