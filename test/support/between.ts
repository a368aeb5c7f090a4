import type { Db } from '../../src/db/connect.js';

/** A database that holds back its first answer with such rows until `work` is done. `work` uses another database. */
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

/** True if the first row has this column. */
export const has =
  (column: string) =>
  ([row]: readonly unknown[]): boolean =>
    typeof row === 'object' && row !== null && column in row;
