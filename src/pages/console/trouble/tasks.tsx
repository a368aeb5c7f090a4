import type { VNode } from 'preact';
import { isId } from '../../../base/ids.js';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { Card, factList, TimeLink, Timeline } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery } from '../../design/tables.js';
import { requestKinds } from '../../facts.js';
import { addressText, StatusChip } from '../../shared/words.js';
import { troubleTexts as texts, valueWords } from '../../texts.js';
import { asked, askedOf, calling, filledPath, type Schemas, useVisit, type Visit } from '../../visit.js';
import { DateText, Say, Time, Word } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';
import { entryOf } from '../packages/history.js';
import { type CatalogueEntry, catalogueOf } from '../packages/list.js';
import { confirmationOf, MovementFields, movementOf } from '../packages/movement.js';

const COMPLETION = 'POST /operator/v1/tasks/{id}/completion';

type Task = Schemas['OperatorTask'];

const states = ['open', 'done'] as const;
const taskKinds = ['answer', ...requestKinds] as const;

const State = ({ state }: Pick<Task, 'state'>) => <Say text={state === 'done' ? texts.done : texts.open} />;

/** Tasks in the state that the address names; without one, open tasks. */
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

/** A package goes on by a movement, mostly by these. */
const IN_TRANSIT = 3;
const RETURNING = 7;

interface CompletionProps {
  task: Task;
  package: Pick<Schemas['TrackedPackage'], 'location' | 'status'>;
  statuses: readonly CatalogueEntry[];
}

/** Completes the task by a movement and a note; a package that has ended takes no movement. */
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

export async function showTask(visit: Visit): Promise<VNode> {
  const { ask, say } = visit;
  const task = await ask('GET /operator/v1/tasks/{id}');
  const { loggi_key: key, order_id: order, user_id: user, address, completed_at: completedAt, completed_by: by } = task;
  const path = { loggi_key: key };
  const [names, statuses, about, history] = await Promise.all([
    namesOf(visit, [key, order, user, by]),
    catalogueOf(visit),
    ask('GET /operator/v1/packages/{loggi_key}', { path }),
    ask('GET /operator/v1/packages/{loggi_key}/movements', { path, query: { page_size: 20 } }),
  ]);
  const { status, recipient, address: deliveryAddress } = about;
  const side = task.state === 'open' && <Completion {...{ task, statuses }} package={about} />;
  const corrected = (field: (typeof correctable)[number], value: string | undefined) =>
    value && `${value} (${say(task.applied.includes(field) ? texts.applied : texts.toDecide)})`;
  return (
    <SplitPage title={texts.task} side={side}>
      {factList([
        [texts.state, <State state={task.state} />],
        [texts.kind, <Word of={valueWords.requestKinds} value={task.kind} />],
        [texts.problem, task.problem && <Word of={valueWords.inquiryProblems} value={task.problem} />],
        [texts.day, task.day && <DateText at={task.day} />],
        [texts.correctedName, task.recipient?.name],
        [texts.proofThen, task.proof && [<Time at={task.proof.delivered_at} />, ' ', task.proof.recipient_name]],
        [texts.since, <Time at={task.created_at} />],
        [texts.package, <Named id={key} names={names} />],
        [texts.order, <Named id={order} names={names} />],
        [texts.account, <Named id={user} names={names} />],
        [texts.packageStatus, <StatusChip status={status} />],
        [texts.recipientNow, [recipient.name, recipient.phone].join(', ')],
        [texts.deliveryAddress, addressText(deliveryAddress)],
        [texts.phone, corrected('phone', task.phone ?? task.recipient?.phone)],
        [texts.address, corrected('address', address && addressText(address))],
        [texts.instructions, corrected('instructions', task.instructions)],
        [texts.note, task.note],
        [texts.completedAt, completedAt && <Time at={completedAt} />],
        [texts.completedBy, by && <Named id={by} names={names} />],
        [texts.completionNote, task.completion_note],
      ])}
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

/** Completes the task, together with the movement that sends the package on unless that is not wanted. */
export async function completeTask(visit: Visit): Promise<VNode | string> {
  const back = filledPath(visit, '/console/tasks/{id}');
  const confirmation = isAlone(visit) ? undefined : await confirmationOf(visit, { loggiKey: packageOf(visit), back });
  return confirmation ?? complete(visit);
}
