import type { Db } from './connect.js';

/** One that waits for the statement of its turn. */
interface Reader<K, V> {
  readonly key: K;
  readonly resolve: (value: V | PromiseLike<V>) => void;
  readonly reject: (error: unknown) => void;
}

interface Bounds {
  /** Keys of one statement at most. */
  most?: number;
}

/**
 * Makes a read that requests share. What is asked for in one turn of the event loop is read by one statement at the turn's end, so
 * that nothing waits for company, and what comes back is never older than the question. `read` resolves to one value for each key,
 * in their order; when it fails, all who share it fail. In a transaction nothing is shared.
 */
export function together<K, V>(
  read: (db: Db, keys: readonly K[]) => Promise<readonly V[]>,
  { most = 100 }: Bounds = {},
): (db: Db, key: K) => Promise<V> {
  const gathered = new WeakMap<Db, Reader<K, V>[]>();

  const readNow = async (db: Db, readers: readonly Reader<K, V>[]): Promise<void> => {
    try {
      const keys = readers.map(({ key }) => key);
      const values = await read(db, keys);
      for (const [at, { resolve }] of readers.entries()) {
        const value = values[at];
        if (value === undefined) throw new Error('a read that is shared lacks a value');
        resolve(value);
      }
    } catch (error) {
      for (const { reject } of readers) reject(error);
    }
  };

  const endTurn = (db: Db): void => {
    const readers = gathered.get(db) ?? [];
    gathered.delete(db);
    for (let at = 0; at < readers.length; at += most) void readNow(db, readers.slice(at, at + most));
  };

  return (db, key) =>
    new Promise<V>((resolve, reject) => {
      const reader = { key, resolve, reject };
      const others = gathered.get(db);
      if (db.isTransaction) void readNow(db, [reader]);
      else if (others) others.push(reader);
      else {
        gathered.set(db, [reader]);
        setImmediate(endTurn, db);
      }
    });
}
