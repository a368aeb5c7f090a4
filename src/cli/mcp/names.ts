import { isId } from '../../base/ids.js';
import { CommandError, orAbsent, RefusedError } from '../errors.js';
import type { AnswerOf, Client } from '../remote/client.js';
import { codeFilter } from '../remote/references.js';
import { type Described, rest as restSchema } from './schemas.js';

type PackageDetail = AnswerOf<'getOwnPackage'>;
type Named = { package: PackageDetail } | { order: AnswerOf<'getOrder'> };

/** Maximum number of packages of an order, or statuses of a package, in one answer. */
export const MAX_SHOWN = 20;

export const nameOf = (description: string): Described<string> => ({
  ...restSchema('Text'),
  description,
  examples: ['7ZK3M9P2QP1S'],
});

export const ANY_PACKAGE = 'The package: its loggi key, tracking code or barcode.';

/**
 * Finds the package or order that a text names: by loggi key, tracking code, barcode, order id or external id. Throws
 * CommandError if the text names nothing, or several things.
 */
export async function named(client: Client, text: string): Promise<Named> {
  const detail = await packageOf(client, text);
  if (detail) return { package: detail };
  const order = await orderOf(client, text);
  return order ? { order } : nothing('package or order', text);
}

export async function packageNamed(client: Client, text: string): Promise<PackageDetail> {
  return (await packageOf(client, text)) ?? nothing('package', text);
}

/** The id of the order that `text` names: by itself, or by one of its packages. */
export async function orderIdNamed(client: Client, text: string): Promise<string> {
  const record = await named(client, text);
  return 'order' in record ? record.order.id : record.package.order_id;
}

function nothing(what: string, text: string): never {
  const kind = codeFilter(text) || isId(text) ? 'this code or id' : 'this external id';
  throw new RefusedError(404, `NOT_FOUND: No ${what} of these credentials has ${kind}.`, 'NOT_FOUND');
}

async function packageOf({ call }: Client, text: string): Promise<PackageDetail | undefined> {
  const key = isId(text) ? text : await keyOf(call, text);
  return key === undefined ? undefined : orAbsent(call('getOwnPackage', { path: { loggi_key: key } }));
}

async function keyOf(call: Client['call'], text: string): Promise<string | undefined> {
  const filter = codeFilter(text);
  if (!filter) return undefined;
  const { data } = await call('listOwnPackages', { query: filter });
  return only(data.map(({ loggi_key }) => loggi_key))[0];
}

async function orderOf({ call }: Client, text: string): Promise<AnswerOf<'getOrder'> | undefined> {
  const get = (id: string) => call('getOrder', { path: { id } });
  const order = isId(text) ? await orAbsent(get(text)) : undefined;
  if (order) return order;
  const { data } = await call('listOrders', { query: { external_id: text } });
  const [id] = only(data.map((order) => order.id));
  return id === undefined ? undefined : get(id);
}

function only(ids: readonly string[]): readonly string[] {
  if (ids.length <= 1) return ids;
  throw new CommandError(
    `Several have this name, as accounts choose their names: take one of the ids ${ids.join(', ')}.`,
    1,
  );
}
