import { type Mutant, one } from './mutant.js';

/** Of the faults of what stands before the database, of upgrades and of sweeps. */
export const databaseMutants: readonly Mutant[] = [
  {
    name: 'statements are named by their number in the process, and prepared behind any pooler',
    fault: 'pooler',
    edits: [
      { file: 'src/db/client.ts', from: '.update(sent)', to: '.update(String(byText.size))' },
      { file: 'src/db/errors.ts', from: "['26000', '42P05']", to: "['none']" },
      {
        file: 'src/db/pooler.ts',
        from: '!pooled || (await keepsStatements(client))',
        to: '(await keepsStatements(client)) || true',
      },
    ],
  },
  {
    name: 'migrations are recorded where the last release does not expect them',
    fault: 'rolling-upgrade',
    edits: [
      { file: 'src/db/migrating/records.ts', from: "= '0009-endpoint-pace'", to: "= '9999'" },
      {
        file: 'src/db/migrations/index.ts',
        from: "'0009-endpoint-pace': endpointPace,",
        to: "'0009-endpoint-pace': endpointPace, '0999-none': { up: async () => undefined },",
      },
    ],
  },
  one(
    'transaction-pooler',
    'a pooler is taken for the database',
    'src/db/pooler.ts',
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
