import type { Db } from '../../src/db/connect.js';

/** A database whose first answer with such rows is held back until the work is done, which may use any other one. */
export function workAfter(db: Db, isAnswer: (rows: readonly unknown[]) => boolean, work: () => Promise<unknown>): Db {
  let isDone = false;
  return db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (!isDone && isAnswer(result.rows)) {
        isDone = true;
        await work();
      }
      return result;
    },
  });
}

/** True if the first of the rows has such a column. */
export const has =
  (column: string) =>
  ([row]: readonly unknown[]): boolean =>
    typeof row === 'object' && row !== null && column in row;
