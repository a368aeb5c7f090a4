import type { components } from '../../../generated/rest.js';
import { type Lateness, latenessOf, latenessSchema } from './lateness.js';
import { ANY_PACKAGE, MAX_SHOWN, named, nameOf, packageNamed } from './names.js';
import { shownOrder } from './orders.js';
import { type Described, extended, objectOf, parameter, rest as schema } from './schemas.js';
import { endpointText, historyText, packageText } from './texts.js';
import { type Access, reading, type Tool, writing } from './tool.js';

type Schemas = components['schemas'];
type Endpoints = Schemas['WebhookEndpointList'];

function shownPackage(detail: Schemas['PackageDetail']): { package: Schemas['PackageDetail']; text: string } {
  const events = detail.tracking_history.slice(0, MAX_SHOWN);
  const text = [packageText(detail), ...historyText(events)].join('\n');
  return { package: { ...detail, tracking_history: events }, text };
}

const phones: Described<boolean> = {
  type: 'boolean',
  description: 'Show telephone numbers of recipients; leave it out unless the person needs one.',
};

const find = reading({
  name: 'find',
  title: 'Find a package or an order',
  description: `The story of whatever a code or id names: a package with its statuses, or an order with ${MAX_SHOWN} of its packages at once.`,
  input: objectOf(
    { name: nameOf('Loggi key, tracking code or barcode of a package; id or external id of an order.') },
    { page: parameter<number>('Page'), phones },
  ),
  output: objectOf({}, { package: schema('PackageDetail'), order: schema('Order') }),
  run: async (client, { name, page }) => {
    const record = await named(client, name);
    const { text, ...structured } = 'order' in record ? shownOrder(record.order, page) : shownPackage(record.package);
    return { text, structured };
  },
});

const whyIsItLate = reading({
  name: 'why_is_it_late',
  title: 'Why is a package late?',
  description:
    'Holds the statuses of a package against its promised date: how late it is, how long nothing happened, what it waits for and what to do, and which webhook endpoints of its account are in trouble, so that its shipper may not have been told.',
  input: objectOf({ package: nameOf(ANY_PACKAGE) }),
  output: objectOf({
    package: schema('PackageDetail'),
    ...latenessSchema,
    endpoints_in_trouble: schema('WebhookEndpointList'),
  }),
  run: async (access, { package: name }) => {
    const { text, package: shown } = shownPackage(await packageNamed(access, name));
    const judgement = latenessOf(shown, Date.now());
    const endpoints = await endpointsInTrouble(access, shown.user_id);
    const lines = [text, ...judgementLines(judgement), ...endpoints.data.map(endpointText)];
    return { text: lines.join('\n'), structured: { package: shown, ...judgement, endpoints_in_trouble: endpoints } };
  },
});

const judgementLines = ({ late_days: late, unchanged_days: unchanged, advice }: Lateness): string[] => [
  late > 0 ? `late by ${late} day(s)` : 'not late',
  ...(unchanged > 0 ? [`no other status for ${unchanged} day(s)`] : []),
  advice,
];

const isInTrouble = ({ state, failing_since, dead_letter_count: dead }: Schemas['WebhookEndpoint']): boolean =>
  state !== 'active' || failing_since !== undefined || dead > 0;

/** The endpoints of a package's account that fail, are disabled, or have dead letters. */
async function endpointsInTrouble({ call, isOperator }: Access, userId: string): Promise<Endpoints> {
  const query = { page_size: MAX_SHOWN };
  if (isOperator) return call('listWebhookEndpoints', { query: { ...query, user_id: userId, trouble: true } });
  const list = await call('listOwnWebhookEndpoints', { query });
  return { ...list, data: list.data.filter(isInTrouble) };
}

const answerProblem = writing({
  name: 'answer_problem',
  title: 'Answer what a package waits for',
  description:
    'Answers a package that waits for its shipper (status 6): corrects phone, address or instructions, or leaves a note; at least one of them. `applied` lists the fields that are on the package now; the carrier decides about the others.',
  destructive: true,
  input: extended(schema('AnswerInput'), { package: nameOf(ANY_PACKAGE) }),
  output: schema('PackageAnswer'),
  run: async (client, { package: name, idempotency_key: idempotencyKey, ...body }) => {
    const path = { loggi_key: (await packageNamed(client, name)).loggi_key };
    const answer = await client.call('answerActionRequired', { path, body, idempotencyKey });
    const applied =
      answer.applied.length > 0 ? `On the package now: ${answer.applied.join(', ')}.` : 'Nothing changed yet.';
    return { text: `The carrier sees the answer. ${applied}`, structured: answer };
  },
});

export const packageTools: readonly Tool[] = [find, whyIsItLate, answerProblem];
