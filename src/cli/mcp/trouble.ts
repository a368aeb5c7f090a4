import type { components } from '../../../generated/operator.js';
import { type Described, extended, listOf, objectOf, operator as operatorSchema, parameter, rest } from './schemas.js';
import { endpointText, packageText } from './texts.js';
import { reading, type Tool, writing } from './tool.js';

type Schemas = components['schemas'];
type Packages = Schemas['TrackedPackageList'];

/** Of each kind; the totals count all. */
const MOST_OF_A_KIND = 5;

/** Kinds of trouble, with the filters that list their packages. */
const kindsSince = (stuckSince: string) => ({
  late: { late: true },
  stuck: { stuck_since: stuckSince },
  problem: { status_code: 6 },
  lost: { status_code: 9 },
  'at an agency': { status_code: 10 },
  absent: { status_code: 18 },
});

const kind: Described<string> = { type: 'string', description: `One of ${Object.keys(kindsSince('')).join(', ')}.` };

const DAY_MS = 24 * 60 * 60 * 1000;

const todaysTrouble = reading({
  name: 'todays_trouble',
  title: "Today's trouble",
  description: `What needs somebody at the carrier: figures of the day; packages that are late or stuck, have a problem (6), are lost (9), wait at an agency (10) or found nobody (18), with ${MOST_OF_A_KIND} of each; webhook endpoints that are failing or disabled, or have dead letters. pagination.total_items counts all of a kind.`,
  input: objectOf({}, { stuck_days: parameter<number>('StuckDays') }),
  output: objectOf({
    figures: operatorSchema('Figures'),
    packages: listOf(extended(operatorSchema('TrackedPackageList'), { kind })),
    endpoints_in_trouble: rest('WebhookEndpointList'),
  }),
  run: async ({ call }, { stuck_days = 3 }) => {
    const some = { page_size: MOST_OF_A_KIND };
    const kinds = Object.entries(kindsSince(new Date(Date.now() - stuck_days * DAY_MS).toISOString()));
    const [figures, endpoints, ...packages] = await Promise.all([
      call('getFigures', { query: { stuck_days } }),
      call('listWebhookEndpoints', { query: { trouble: true, ...some } }),
      ...kinds.map(async ([name, filter]) => ({
        kind: name,
        ...(await call('listPackages', { query: { ...filter, ...some } })),
      })),
    ]);
    const lines = [
      ...packages.flatMap(packageLines),
      `endpoints in trouble: ${endpoints.pagination.total_items}`,
      ...endpoints.data.map(endpointText),
    ];
    return { text: lines.join('\n'), structured: { figures, packages, endpoints_in_trouble: endpoints } };
  },
});

const packageLines = ({ kind, data, pagination }: Packages & { kind: string }): string[] => [
  `${kind}: ${pagination.total_items}`,
  ...data.map((each) => `- ${packageText(each)}`),
];

const replayDeliveries = writing({
  name: 'replay_deliveries',
  title: 'Send webhook bodies again',
  description:
    'Sends bodies of a webhook endpoint again, unchanged: all its dead letters, or those of a range of time. Ask the person first whether the receiver works again. Refused while the endpoint is disabled.',
  destructive: false,
  input: objectOf({
    endpoint: { ...rest('Id'), description: 'Id of the endpoint, as todays_trouble or why_is_it_late shows it.' },
    bodies: operatorSchema('ReplayRequest'),
  }),
  output: operatorSchema('ReplayAccepted'),
  run: async ({ call }, { endpoint: id, bodies, idempotency_key: idempotencyKey }) => {
    const accepted = await call('replayDeliveries', { path: { id }, body: bodies, idempotencyKey });
    return { text: `${accepted.queued} body or bodies will be sent again.`, structured: accepted };
  },
});

export const troubleTools: readonly Tool[] = [todaysTrouble, replayDeliveries];
