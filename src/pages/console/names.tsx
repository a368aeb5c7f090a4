import type { ComponentChildren } from 'preact';
import { Copy } from '../design/pieces.js';
import type { Schemas } from '../session/operations.js';
import { param, type Visit } from '../session/visit.js';

// Records by what people call them: their ids say nothing.

export type Names = ReadonlyMap<string, Schemas['RecordName']>;

/** Ids that one call of the operation takes. */
const AT_ONCE = 25;

export async function namesOf({ ask }: Visit, ids: Iterable<string | undefined>): Promise<Names> {
  const all = [...new Set([...ids].filter((id) => id !== undefined))];
  const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) =>
    all.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const answers = await Promise.all(
    parts.map((part) => ask('GET /operator/v1/names', { query: { ids: part.join(',') } })),
  );
  return new Map(answers.flatMap(({ data }) => data.map((each) => [each.id, each])));
}

/** The name of the record of the page's path; empty where it has none. */
export async function ownName(visit: Visit): Promise<string> {
  const id = param(visit, 'id');
  return (await namesOf(visit, [id])).get(id)?.name ?? '';
}

const pages: Readonly<Record<string, string>> = {
  user: '/console/users/',
  order: '/console/orders/',
  package: '/console/packages/',
  webhook_endpoint: '/console/webhook-endpoints/',
};

/** The page of a record; undefined of a kind that has none. */
export const pageOf = ({ kind, id }: { kind: string; id: string }): string | undefined =>
  pages[kind] && pages[kind] + id;

/** The name of a record as a link to its page; of one that has none, a button that copies its id. */
export function Named({ id, names }: { id: string; names: Names }): ComponentChildren {
  const record = names.get(id);
  if (!record) return <Copy value={id} />;
  const page = pageOf(record);
  return page === undefined ? record.name : <a href={page}>{record.name}</a>;
}
