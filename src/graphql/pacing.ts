import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OrderConnection } from '../../generated/graphql.js';

/** The resolver of a list whose entries are completed so that others are served between them. */
export const pacedEntries = ({ edges }: OrderConnection): Promise<OrderConnection['edges'][number]>[] => paced(edges);

/** Gives the entries of a list one in each turn of the event loop, for what takes as long as graphql-js. */
export function paced<T>(entries: readonly T[]): Promise<T>[] {
  let turn: Promise<unknown> = Promise.resolve();
  return entries.map((entry) => {
    turn = turn.then(() => nextTurn());
    return turn.then(() => entry);
  });
}
