import { isId } from '../../src/base/ids.js';
import type { CatalogueStatus } from '../../src/packages/catalogue.js';
import { isBarcode, isTrackingCode } from '../support/package-codes.js';
import { isNode, type Node } from './contract-files.js';

/** Holds a value of the contracts, such as an example, against the rules that a schema cannot say. */

type Catalogue = ReadonlyMap<unknown, CatalogueStatus>;
type Rule = (node: Node, catalogue: Catalogue) => string | undefined;

/** The value of the first of the names that the node has; the contracts spell them in two ways. */
const oneOf = (node: Node, ...names: string[]): unknown =>
  names.map((name) => node[name]).find((value) => value != null);

/** Where a value of such a name stands, it must fit. */
const text =
  (names: readonly string[], fits: (value: string) => boolean): Rule =>
  (node) => {
    const wrong = names.filter((name) => typeof node[name] === 'string' && !fits(String(node[name])));
    return wrong.length > 0 ? `${wrong.join(', ')} is wrong` : undefined;
  };

/** The status of an HTTP answer has the same name, in the record of an attempt. */
const isAttempt = (node: Node): boolean => 'attempted_at' in node;

const known: Rule = (node, catalogue) => {
  if (isAttempt(node)) return undefined;
  const code = oneOf(node, 'status_code', 'statusCode');
  return code === undefined || catalogue.has(code) ? undefined : `${code} is no status`;
};

/** An entry of the catalogue says what its movements carry, and carries nothing. */
const isEntry = (node: Node): boolean => 'stage' in node && oneOf(node, 'updated_at', 'updatedTime') === undefined;

/** A status, or a movement to one, carries what the catalogue says. */
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
  // The number of packages with a status says nothing of any of them.
  if (isEntry(node) || typeof node['packages'] === 'number') return undefined;
  if (carries !== (entry.requirement ?? undefined)) return `${entry.code} carries ${carries}`;
  return undefined;
};

const ids = ['id', 'user_id', 'order_id', 'product_id', 'endpoint_id', 'loggi_key', 'loggiKey', 'webhook_id', 'pk'];
const rules: readonly Rule[] = [
  text(['tracking_code', 'trackingCode'], isTrackingCode),
  text(['barcode'], isBarcode),
  text(ids, (id) => isId(id) && id[14] === '7'),
  known,
  status,
];

/** Breaches of the rules in a value and all that is in it. */
export function ruleFaults(value: unknown, catalogue: Catalogue): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => ruleFaults(each, catalogue));
  if (!isNode(value)) return [];
  const own = rules.map((rule) => rule(value, catalogue)).filter((fault) => fault !== undefined);
  const named = own.map((fault) => `${fault}: ${JSON.stringify(value).slice(0, 200)}`);
  return [...named, ...Object.values(value).flatMap((each) => ruleFaults(each, catalogue))];
}
