import { dimensionErrors } from '../../src/base/dimensions.js';
import { isId } from '../../src/base/ids.js';
import { parseMoney } from '../../src/base/money.js';
import type { CatalogueStatus } from '../../src/packages/catalogue.js';
import { calendarAt, dayOf, promisedDate } from '../../src/routing/calendar.js';
import { isBarcode, isTrackingCode } from '../support/package-codes.js';
import { fields, isNode, type Node } from './contract-files.js';

/** Checks a value of the contracts, such as an example, by rules that a schema cannot express. */

type Catalogue = ReadonlyMap<unknown, CatalogueStatus>;
type Rule = (node: Node, catalogue: Catalogue) => string | undefined;

/** The value of the first of these names that the node has. The contracts spell names in two ways. */
const oneOf = (node: Node, ...names: string[]): unknown =>
  names.map((name) => node[name]).find((value) => value != null);
const list = (value: unknown): readonly Node[] => (Array.isArray(value) ? value.filter(isNode) : []);

/** A rule for the values of a name. */
const text =
  (names: readonly string[], fits: (value: string) => boolean): Rule =>
  (node) => {
    const wrong = names.filter((name) => typeof node[name] === 'string' && !fits(String(node[name])));
    return wrong.length > 0 ? `${wrong.join(', ')} is wrong` : undefined;
  };

/** True for the record of an attempt, where the same name means the status of an HTTP answer. */
const isAttempt = (node: Node): boolean => 'attempted_at' in node;

const known: Rule = (node, catalogue) => {
  if (isAttempt(node)) return undefined;
  const code = oneOf(node, 'status_code', 'statusCode');
  return code === undefined || catalogue.has(code) ? undefined : `${code} is no status`;
};

/** True for an entry of the catalogue, which describes the parts of movements. */
const isEntry = (node: Node): boolean => 'stage' in node && oneOf(node, 'updated_at', 'updatedTime') === undefined;

/** A status, or a movement to it, has the parts that the catalogue requires. */
const status: Rule = (node, catalogue) => {
  const name = oneOf(node, 'high_level_status', 'highLevelStatus');
  const entry = catalogue.get(oneOf(node, 'status_code', 'code'));
  const carries: unknown = Object.entries({
    action_required: oneOf(node, 'action_required', 'actionRequired'),
    pickup_agency: oneOf(node, 'pickup_agency', 'pickupAgency'),
  }).find(([, value]) => value !== undefined)?.[0];
  if (!entry) return undefined;
  if (name !== undefined && name !== entry.name) return `${entry.code} is called ${entry.name}`;
  if ('stage' in node && node['stage'] !== entry.stage) return `${entry.code} means ${entry.stage}`;
  // A count of packages with a status has no parts of a package.
  if (isEntry(node) || typeof node['packages'] === 'number') return undefined;
  if (carries !== (entry.requirement ?? undefined)) return `${entry.code} carries ${carries}`;
  return undefined;
};

const stage: Rule = (node) => {
  if (typeof node['final'] !== 'boolean') return undefined;
  return node['final'] === /^(completed|cancelled)$/.test(String(node['stage']))
    ? undefined
    : 'final contradicts stage';
};

const size: Rule = (node) => {
  const { width, height, length, weight } = node;
  if (width === undefined || weight === undefined) return undefined;
  const sides = { width: Number(width), height: Number(height), length: Number(length), weight: Number(weight) };
  return dimensionErrors(sides, 'size')[0]?.message;
};

const price: Rule = (node) => {
  // The lines of a statement are orders, which have no unit.
  if (!Array.isArray(node['lines']) || 'month' in node) return undefined;
  const lines = list(node['lines']);
  const amounts = lines.map((line) => parseMoney(String(line['amount'])));
  const odd = lines.some(
    (line, at) => Math.round(Number(line['quantity']) * parseMoney(String(line['unit_price']))) !== amounts[at],
  );
  const sum = amounts.reduce((total, amount) => total + amount, 0);
  return odd || sum !== parseMoney(String(node['total'])) ? 'the lines do not make the total' : undefined;
};

function isWorkingTime(time: Date, { city, state }: Node): boolean {
  const day = dayOf(time.getTime(), calendarAt({ city: String(city), state: String(state) }));
  const hour = 12 + (time.getTime() - day.noon) / 3_600_000;
  return day.isWorkday && hour >= 8 && hour < 20;
}

/** Deliveries come after their pickups, in working hours. Legs add up to the route. Arrivals fit the promised date. */
const route: Rule = (node) => {
  if (!isNode(node['route']) || !Array.isArray(node['packages'])) return undefined;
  const packages = list(node['packages']);
  const places = packages.map((parcel) => [fields(parcel['pickup_waypoint']), fields(parcel['waypoint'])] as const);
  if (places.some(([pickup, delivery]) => Number(pickup['index']) >= Number(delivery['index'])))
    return 'a delivery comes before its pickup';
  const legs = new Map(places.flat().map((stop) => [stop['index'], Number(stop['leg_distance'])]));
  const distance = [...legs.values()].reduce((sum, leg) => sum + leg, 0);
  if (distance !== node['route']['distance']) return 'the legs do not make the route';
  const etaOf = (stop: Node): Date => new Date(String(stop['eta']));
  const stops = [...list(node['pickups']), ...packages];
  if (stops.some((stop) => !isWorkingTime(etaOf(fields(stop['waypoint'])), fields(stop['resolved_address']))))
    return 'a stop lies outside the working hours of its place';
  const late = packages.filter((parcel) => parcel['promised_date'] !== promisedDate(etaOf(fields(parcel['waypoint']))));
  return late.length > 0 ? 'another date is promised than that of the arrival' : undefined;
};

const pickups: Rule = (node) => {
  const count = list(node['pickups']).length;
  const indices = list(node['packages']).map((parcel) => Number(oneOf(parcel, 'pickup_index', 'pickupIndex') ?? 0));
  return count > 0 && indices.some((index) => index >= count) ? 'a package names no pickup' : undefined;
};

const either: Rule = (node) =>
  isNode(node['recipient']) && 'pickup_index' in node && !('status' in node) && 'dimensions' in node === 'items' in node
    ? 'carries both dimensions and items, or neither'
    : undefined;

const pages: Rule = ({ total_pages: count, total_items: items, page_size: length }) =>
  count === undefined || count === Math.ceil(Number(items) / Number(length)) ? undefined : 'the pages are miscounted';

const times: Rule = (node) => {
  const order = ['happened_at', 'recorded_at', 'created_at', 'updated_at', 'ended_at'].map((name) => node[name]);
  const moments = order.filter((time) => time !== undefined).map((time) => Date.parse(String(time)));
  return moments.some((moment, at) => moment < (moments[at - 1] ?? 0)) ? 'times are in the wrong order' : undefined;
};

const ids = ['id', 'user_id', 'order_id', 'product_id', 'endpoint_id', 'loggi_key', 'loggiKey', 'webhook_id', 'pk'];
const rules: readonly Rule[] = [
  text(['tracking_code', 'trackingCode'], isTrackingCode),
  text(['barcode'], isBarcode),
  text(ids, (id) => isId(id) && id[14] === '7'),
  ...[known, status, stage, size, price, route, pickups, either, pages, times],
];

export function ruleFaults(value: unknown, catalogue: Catalogue): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => ruleFaults(each, catalogue));
  if (!isNode(value)) return [];
  const own = rules.map((rule) => rule(value, catalogue)).filter((fault) => fault !== undefined);
  const named = own.map((fault) => `${fault}: ${JSON.stringify(value).slice(0, 200)}`);
  return [...named, ...Object.values(value).flatMap((each) => ruleFaults(each, catalogue))];
}
