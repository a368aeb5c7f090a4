import { type Mutant, one } from './mutant.js';

/** Mutants for faults of poolers, upgrades and sweeps. */
export const databaseMutants: readonly Mutant[] = [
  {
    name: 'statements are named by their number in the process, and prepared behind any pooler',
    fault: 'pooler',
    edits: [
      { file: 'src/db/connection/client.ts', from: '.update(sent)', to: '.update(String(byText.size))' },
      { file: 'src/db/errors.ts', from: "['26000', '42P05']", to: "['none']" },
      {
        file: 'src/db/connection/pooler.ts',
        from: '!pooled || (await keepsStatements(client))',
        to: '(await keepsStatements(client)) || true',
      },
    ],
  },
  {
    name: 'what the last release reads is dropped',
    fault: 'rolling-upgrade',
    edits: [
      {
        file: 'src/db/migrations/0035-no-descending-indexes.ts',
        from: 'drop index packages_of_account;',
        to: 'drop index packages_of_account; drop view orders_by_external_id;',
      },
    ],
  },
  one(
    'release-too-old',
    'a new database serves any release',
    'src/db/migrations/new-database.ts',
    'UPGRADED_FROM, OLDEST_FOR_NEW);',
    "UPGRADED_FROM, '1.0.0');",
  ),
  one(
    'transaction-pooler',
    'a pooler is taken for the database',
    'src/db/connection/pooler.ts',
    "const pooled = rows[0]?.pid !== Reflect.get(client, 'processID');",
    'const pooled = rows[0]?.pid === undefined;',
  ),
  one(
    'expired-keys',
    'each chunk is looked for from the start',
    'src/db/delete-in-chunks.ts',
    'after = chunk.last ?? undefined;',
    'after = undefined;',
  ),
];
