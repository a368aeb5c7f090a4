import type { components } from '../../../generated/operator.js';
import { DAY_MS } from '../../base/clock.js';
import { MAX_SHOWN } from './names.js';
import { type Described, extended, listOf, objectOf, operator as operatorSchema, parameter, rest } from './schemas.js';
import { endpointText, packageText } from './texts.js';
import { type Access, reading, type Tool, writing } from './tool.js';

type Schemas = components['schemas'];
type Packages = Schemas['TrackedPackageList'];

/** Maximum entries of each kind. The totals count all entries. */
const MAX_OF_A_KIND = 5;

const kind: Described<string> = { type: 'string', description: 'late, stuck, or code and name of a status.' };

/**
 * Lists packages that may need a person, by kind: late, stuck, and one kind per status on the way. Statuses that the
 * carrier added are included.
 */
async function packageLists({ call }: Access, stuckSince: string) {
  const { data: catalogue } = await call('listPackageStatuses', { query: { page_size: 100 } });
  const onTheWay = catalogue.filter(({ final, stage }) => !final && stage !== 'created');
  const filters = [
    ['late', { late: true }],
    ['stuck', { stuck_since: stuckSince }],
    ...onTheWay.map(
      ({ code, high_level_status: name }) => [`${code} ${name}`, { open: true, status_code: code }] as const,
    ),
  ] as const;
  const lists = filters.map(async ([kind, filter]) => {
    return { kind, ...(await call('listPackages', { query: { ...filter, page_size: MAX_OF_A_KIND } })) };
  });
  return (await Promise.all(lists)).filter(({ data }) => data.length > 0);
}

const todaysTrouble = reading({
  name: 'todays_trouble',
  title: "Today's trouble",
  description: `What needs somebody at the carrier: figures of the day; packages that are late or stuck, and those in each status between pickup and end, by the carrier's own catalogue, the earliest promised first, ${MAX_OF_A_KIND} of each; webhook endpoints that are failing or disabled, or have dead letters. pagination.total_items counts all of a kind.`,
  input: objectOf({}, { stuck_days: parameter<number>('StuckDays') }),
  output: objectOf({
    figures: operatorSchema('Figures'),
    packages: listOf(extended(operatorSchema('TrackedPackageList'), { kind })),
    endpoints_in_trouble: rest('WebhookEndpointList'),
  }),
  run: async (access, { stuck_days = 3 }) => {
    const { call } = access;
    const [figures, endpoints, packages] = await Promise.all([
      call('getFigures', { query: { stuck_days } }),
      call('listWebhookEndpoints', { query: { trouble: true, page_size: MAX_OF_A_KIND } }),
      packageLists(access, new Date(Date.now() - stuck_days * DAY_MS).toISOString()),
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

const searchPackages = reading({
  name: 'search_packages',
  title: 'Search the packages of all accounts',
  description: `Packages by what somebody on the phone knows: a part of the recipient's name or phone, or an external id; at most ${MAX_SHOWN} at once, pagination.total_items counts all. For a code or an id, use find.`,
  input: objectOf(
    { text: parameter<string>('TextFilter') },
    { open: parameter<boolean>('OpenFilter'), page: parameter<number>('Page') },
  ),
  output: operatorSchema('TrackedPackageList'),
  run: async ({ call }, { text: q, ...filters }) => {
    const list = await call('listPackages', { query: { q, ...filters, page_size: MAX_SHOWN } });
    return { text: packageLines({ kind: 'found', ...list }).join('\n'), structured: list };
  },
});

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

export const troubleTools: readonly Tool[] = [todaysTrouble, searchPackages, replayDeliveries];
