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
  /** Milliseconds for which what comes while a statement runs waits for its end, to be read by one statement too. */
  patienceMs?: number;
}

/**
 * Makes a read that requests share: one statement reads what is asked for in one turn of the event loop, so nothing
 * waits for company without load, and no answer is older than its question. `read` resolves to one value for each key,
 * in order; its failure is everyone's. In a transaction nothing is shared.
 */
export function together<K, V>(read: Read<K, V>, bounds: Bounds = {}): (db: Db, key: K) => Promise<V> {
  const gatherings = new WeakMap<Db, Gathering<K, V>>();
  return (db, key) =>
    new Promise<V>((resolve, reject) => {
      const reader = { key, resolve, reject };
      if (db.isTransaction) return void settle(read, db, [reader]);
      const gathering = gatherings.get(db) ?? new Gathering(db, read, bounds);
      gatherings.set(db, gathering);
      gathering.add(reader);
    });
}

type Read<K, V> = (db: Db, keys: readonly K[]) => Promise<readonly V[]>;

async function settle<K, V>(read: Read<K, V>, db: Db, readers: readonly Reader<K, V>[]): Promise<void> {
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

/** The keys that are asked of one database in one turn. */
class Gathering<K, V> {
  readonly #db: Db;
  readonly #read: Read<K, V>;
  readonly #most: number;
  readonly #patienceMs: number;
  #waiting: Reader<K, V>[] = [];
  #running = 0;
  #impatience: NodeJS.Timeout | undefined;

  constructor(db: Db, read: Read<K, V>, { most = 100, patienceMs = 0 }: Bounds) {
    this.#db = db;
    this.#read = read;
    this.#most = most;
    this.#patienceMs = patienceMs;
  }

  add(reader: Reader<K, V>): void {
    this.#waiting.push(reader);
    if (this.#waiting.length > 1) return;
    if (this.#running === 0 || this.#patienceMs === 0) setImmediate(() => this.#start());
    else this.#impatience = setTimeout(() => this.#start(), this.#patienceMs);
  }

  #start(): void {
    clearTimeout(this.#impatience);
    const readers = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < readers.length; at += this.#most) void this.#run(readers.slice(at, at + this.#most));
  }

  async #run(readers: readonly Reader<K, V>[]): Promise<void> {
    this.#running += 1;
    await settle(this.#read, this.#db, readers);
    this.#running -= 1;
    if (this.#running === 0 && this.#waiting.length > 0) setImmediate(() => this.#start());
  }
}
