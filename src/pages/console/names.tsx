import type { ComponentChildren } from 'preact';
import { Copy } from '../design/index.js';
import { dataOf, type Schemas } from '../session/operations.js';
import type { Visit } from '../session/visit.js';

// Records by what people call them: their ids say nothing.

export type Names = ReadonlyMap<string, Schemas['RecordName']>;

/** Ids that one call of the operation takes. */
const AT_ONCE = 25;

export async function namesOf({ operator }: Visit, ids: Iterable<string | undefined>): Promise<Names> {
  const all = [...new Set([...ids].filter((id) => id !== undefined))];
  const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) =>
    all.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const answers = await Promise.all(
    parts.map((part) => dataOf(operator.GET('/operator/v1/names', { params: { query: { ids: part.join(',') } } }))),
  );
  return new Map(answers.flatMap(({ data }) => data.map((each) => [each.id, each])));
}

const pages: Readonly<Record<string, string>> = {
  user: '/console/users/',
  order: '/console/orders/',
  package: '/console/packages/',
  webhook_endpoint: '/console/webhook-endpoints/',
};

/** The name of a record as a link to its page; of one that has none, a button that copies its id. */
export function Named({ id, names }: { id: string; names: Names }): ComponentChildren {
  const record = names.get(id);
  if (!record) return <Copy value={id} />;
  const page = pages[record.kind];
  return page === undefined ? record.name : <a href={page + id}>{record.name}</a>;
}
