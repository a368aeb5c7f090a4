import type { components } from '../../../generated/rest.js';
import { isId } from '../../base/ids.js';
import { CommandError, RefusedError } from '../errors.js';
import { bodyOf, type RestClient } from '../remote/client.js';
import { codeFilter } from '../remote/references.js';
import { type Described, rest as restSchema } from './schemas.js';

type Schemas = components['schemas'];

/** What a name leads to. */
type Named = { package: Schemas['PackageDetail'] } | { order: Schemas['Order'] };

/** As many packages of an order, or statuses of a package, as one answer shows. */
export const MOST_SHOWN = 20;

/** The schema of a text that names something. */
export const nameOf = (description: string): Described<string> => ({
  ...restSchema('Text'),
  description,
  examples: ['7ZK3M9P2QP1S'],
});

/**
 * The package or the order that a text names: loggi key, tracking code, barcode, order id, external id. Throws CommandError when there
 * is none, or there are several.
 */
export async function named(rest: RestClient, text: string): Promise<Named> {
  return (await packageOf(rest, text)) ?? (await orderOf(rest, text)) ?? nothing('package or order', text);
}

export async function packageNamed(rest: RestClient, text: string): Promise<Schemas['PackageDetail']> {
  return (await packageOf(rest, text))?.package ?? nothing('package', text);
}

/** The id of an order that may also be named by one of its packages. */
export async function orderIdNamed(rest: RestClient, text: string): Promise<string> {
  const found = await named(rest, text);
  return 'order' in found ? found.order.id : found.package.order_id;
}

function nothing(what: string, text: string): never {
  const kind = codeFilter(text) || isId(text) ? 'this code or id' : 'this external id';
  throw new RefusedError(404, `NOT_FOUND: No ${what} of these credentials has ${kind}.`, 'NOT_FOUND');
}

async function packageOf(rest: RestClient, text: string): Promise<{ package: Schemas['PackageDetail'] } | undefined> {
  const key = isId(text) ? text : await keyOf(rest, text);
  if (key === undefined) return undefined;
  const params = { path: { loggi_key: key } };
  const detail = await orAbsent(bodyOf(rest.GET('/api/v1/packages/{loggi_key}', { params })));
  return detail && { package: detail };
}

async function keyOf(rest: RestClient, text: string): Promise<string | undefined> {
  const filter = codeFilter(text);
  if (!filter) return undefined;
  const { data } = await bodyOf(rest.GET('/api/v1/packages', { params: { query: filter } }));
  return only(data.map(({ loggi_key }) => loggi_key))[0];
}

async function orderOf(rest: RestClient, text: string): Promise<{ order: Schemas['Order'] } | undefined> {
  const get = (id: string) => bodyOf(rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));
  const byId = isId(text) ? await orAbsent(get(text)) : undefined;
  if (byId) return { order: byId };
  const { data } = await bodyOf(rest.GET('/api/v1/orders', { params: { query: { external_id: text } } }));
  const [id] = only(data.map((order) => order.id));
  return id === undefined ? undefined : { order: await get(id) };
}

function only(ids: readonly string[]): readonly string[] {
  if (ids.length <= 1) return ids;
  throw new CommandError(
    `Several have this name, as accounts choose their names: take one of the ids ${ids.join(', ')}.`,
    1,
  );
}

const orAbsent = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  });
