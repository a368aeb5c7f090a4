import type { Db } from './connect.js';

/** A caller that waits for the statement of its turn. */
interface Reader<K, V> {
  readonly key: K;
  readonly resolve: (value: V | PromiseLike<V>) => void;
  readonly reject: (error: unknown) => void;
}

interface Bounds {
  /** Most keys of one statement. Default: 100. */
  max?: number;
  /** Milliseconds for which calls wait for a running statement, to share the next one. Default: 0. */
  patienceMs?: number;
}

/**
 * Makes a read that requests share: one statement reads all keys of one turn of the event loop. So without load no call
 * waits for others, and an answer is never older than its call. `read` resolves to one value per key, in order; its
 * failure fails all calls. Inside a transaction nothing is shared.
 */
export function shareRead<K, V>(read: Read<K, V>, bounds: Bounds = {}): (db: Db, key: K) => Promise<V> {
  const gatherings = new WeakMap<Db, (reader: Reader<K, V>) => void>();
  return (db, key) =>
    new Promise<V>((resolve, reject) => {
      const reader = { key, resolve, reject };
      if (db.isTransaction) return void readForAll(read, db, [reader]);
      const gather = gatherings.get(db) ?? gathering(db, read, bounds);
      gatherings.set(db, gather);
      gather(reader);
    });
}

type Read<K, V> = (db: Db, keys: readonly K[]) => Promise<readonly V[]>;

async function readForAll<K, V>(read: Read<K, V>, db: Db, readers: readonly Reader<K, V>[]): Promise<void> {
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
}

/** Collects the keys for one database in one turn. */
function gathering<K, V>(
  db: Db,
  read: Read<K, V>,
  { max = 100, patienceMs = 0 }: Bounds,
): (reader: Reader<K, V>) => void {
  let waiting: Reader<K, V>[] = [];
  let running = 0;
  let impatience: NodeJS.Timeout | undefined;

  const run = async (readers: readonly Reader<K, V>[]): Promise<void> => {
    running += 1;
    await readForAll(read, db, readers);
    running -= 1;
    if (running === 0 && waiting.length > 0) setImmediate(start);
  };
  const start = (): void => {
    clearTimeout(impatience);
    const readers = waiting;
    waiting = [];
    for (let at = 0; at < readers.length; at += max) void run(readers.slice(at, at + max));
  };
  return (reader) => {
    waiting.push(reader);
    if (waiting.length > 1) return;
    if (running === 0 || patienceMs === 0) setImmediate(start);
    else impatience = setTimeout(start, patienceMs);
  };
}
