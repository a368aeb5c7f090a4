import { type Mutant, one } from './mutant.js';

const INSERTION = 'src/orders/placing/insert-orders.ts';

/** Mutants for faults during the creation of orders. */
export const orderMutants: readonly Mutant[] = [
  {
    name: 'notifications are enqueued after the commit',
    fault: 'killed-api',
    edits: [
      {
        file: 'src/packages/add-packages.ts',
        from: 'select account_id, loggi_key, 1 as seq, traceparent from new_packages',
        to: 'select account_id, loggi_key, 1 as seq, traceparent from new_packages where false',
      },
      {
        file: INSERTION,
        from: '      const status = inserted.get(id);',
        to: `      const status = inserted.get(id);
      const moved = (rows[at]?.packages ?? []).map((row) => ({ ...planned, loggiKey: row.loggi_key, seq: 1 }));
      setTimeout(async () => {
        const { enqueueNotifications } = await import('../../queue/enqueue.js');
        await enqueueNotifications(Reflect.get(globalThis, 'pool'), moved).catch(() => undefined);
      }, 100);`,
      },
      {
        file: 'src/db/connect.ts',
        from: '  return new Kysely<Database>({ dialect: new Dialect({ pool: source }) });',
        to: "  const db = new Kysely<Database>({ dialect: new Dialect({ pool: source }) });\n  if (!Reflect.has(globalThis, 'pool')) Reflect.set(globalThis, 'pool', db);\n  return db;",
      },
    ],
  },
  ...(['ended-database', 'ended-connections'] as const).map((fault) =>
    one(
      fault,
      'the loss of an idle connection is not listened for',
      'src/db/connect.ts',
      "pool.on('error', () => undefined);",
      '',
    ),
  ),
  one(
    'locked-account',
    'a batch waits for a lock as long as an order alone',
    'src/orders/placing/joint-queue.ts',
    'worksOf(batch), LOCK_TIMEOUT_MS)',
    'worksOf(batch))',
  ),
  one(
    'lost-commit',
    'what was not answered is run again',
    'src/orders/placing/write-batch.ts',
    'isAnswerLost(error)) return',
    'isAnswerLost(error)) return orders.length > 0 ? writeBatch(orders.map((order) => ({ ...order, id: crypto.randomUUID() })), options) :',
  ),
];
