import { documents } from '../contract.js';
import type { AnswerOf, QueryOf } from '../remote/client.js';
import { ANY_PACKAGE, MAX_SHOWN, nameOf, packageNamed } from './names.js';
import { extended, objectOf, operator as operatorSchema, parameter, rest as schema } from './schemas.js';
import { requestText } from './texts.js';
import { reading, type Tool, writing } from './tool.js';

// Handles requests of shippers about their packages. They are tasks for the operator.

const { 'x-possible-in': possibleIn } = documents.rest.components.schemas.PackageRequestInput;

const statuses = Object.entries(possibleIn)
  .map(([kind, codes]) => `${kind} in ${codes.join(', ')}`)
  .join('; ');

const askCarrier = writing({
  name: 'ask_carrier',
  title: 'Ask the carrier for something about a package',
  description: `Asks for another attempt on a day, to hold a package or to bring it back, corrects the recipient's name or phone, or inquires about a problem, for 90 days after the delivery too. The carrier's people decide and answer: list_requests shows their answer. The status of the package decides what is possible: ${statuses}. Problem "late" is for a package under way, the other problems are for one that has ended.`,
  destructive: true,
  input: extended(schema('PackageRequestInput'), { package: nameOf(ANY_PACKAGE) }),
  output: schema('PackageRequest'),
  run: async (client, { package: name, idempotency_key: idempotencyKey, ...body }) => {
    const path = { loggi_key: (await packageNamed(client, name)).loggi_key };
    const request = await client.call('createPackageRequest', { path, body, idempotencyKey });
    const next = request.state === 'done' ? 'It is done.' : 'It waits for the carrier.';
    return { text: `${requestText(request)}\n${next}`, structured: request };
  },
});

const listRequests = reading({
  name: 'list_requests',
  title: 'Requests about a package, and the answers of the carrier',
  description: `Requests about a package, newest first, at most ${MAX_SHOWN} at once. completion_note is the carrier's answer, completed_by_movement the movement that did what was asked.`,
  input: objectOf({ package: nameOf(ANY_PACKAGE) }, { page: parameter<number>('Page') }),
  output: schema('PackageRequestList'),
  run: async (client, { package: name, ...page }) => {
    const path = { loggi_key: (await packageNamed(client, name)).loggi_key };
    const list = await client.call('listPackageRequests', { path, query: { ...page, page_size: MAX_SHOWN } });
    return { text: listText('request', list), structured: list };
  },
});

type TaskKind = NonNullable<QueryOf<'listTasks'>['kind']>;

const listTasks = reading({
  name: 'list_tasks',
  title: 'Tasks that wait for the carrier',
  description: `Requests of shippers, and answers to problems (kind answer), that wait for an operator: the one that has waited longest first, at most ${MAX_SHOWN} at once. A person completes them at the console.`,
  input: objectOf({}, { kind: parameter<TaskKind>('TaskKindFilter'), page: parameter<number>('Page') }),
  output: operatorSchema('OperatorTaskList'),
  run: async ({ call }, filters) => {
    const list = await call('listTasks', { query: { ...filters, state: 'open', page_size: MAX_SHOWN } });
    return { text: listText('open task', list), structured: list };
  },
});

type Requests = AnswerOf<'listPackageRequests'> | AnswerOf<'listTasks'>;

const listText = (what: string, { data, pagination }: Requests): string =>
  [`${pagination.total_items} ${what}(s)`, ...data.map((each) => `- ${requestText(each)}`)].join('\n');

export const requestTools: readonly Tool[] = [askCarrier, listRequests];
export const taskTools: readonly Tool[] = [listTasks];
