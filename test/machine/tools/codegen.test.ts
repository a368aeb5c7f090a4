import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from '@jest/globals';
import { ownFolder } from '../../support/folder.js';

const project = fileURLToPath(new URL('../../../', import.meta.url));
const copy = await ownFolder();

// A run takes three seconds alone, and many more beside other tests.

beforeAll(() => {
  for (const name of [
    'scripts/codegen',
    'clients',
    'src/base/values.ts',
    'codegen.ts',
    'package.json',
    'contracts',
    'generated',
  ])
    cpSync(resolve(project, name), join(copy, name), { recursive: true });
  // A separate cache, so that the test puts nothing into the cache of the project.
  mkdirSync(join(copy, 'node_modules'));
  const packages = readdirSync(resolve(project, 'node_modules')).filter((name) => name !== '.cache');
  for (const name of packages) symlinkSync(resolve(project, 'node_modules', name), join(copy, 'node_modules', name));
});

function codegen(...args: string[]): { status: number | null; lines: string[] } {
  const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', 'codegen.ts', ...args], {
    cwd: copy,
    encoding: 'utf8',
  });
  return { status, lines: stderr.split('\n').filter((line) => line !== '') };
}

const stale = (name: string): string => `generated/${name} is stale: run "npm run codegen" and check it in.`;

function filesIn(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(relative(folder, parentPath), name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

test('the check names files that are stale after a changed contract, an edit or a stray file, and changes none', () => {
  const contract = join(copy, 'contracts/openapi.yaml');
  const text = readFileSync(contract, 'utf8');
  writeFileSync(contract, text.replace('operationId: getHealth', 'operationId: getWellbeing'));
  writeFileSync(join(copy, 'generated/graphql.ts'), 'export {};\n');
  mkdirSync(join(copy, 'generated/folder'));
  for (const name of ['stray.ts', 'folder/stray.ts']) writeFileSync(join(copy, 'generated', name), 'export {};\n');
  rmSync(join(copy, 'generated/redact.ts'));
  const before = filesIn(join(copy, 'generated'));
  const names = [
    'folder/stray.ts',
    'graphql.ts',
    'redact.ts',
    'rest.openapi.json',
    'rest.routes.ts',
    'rest.ts',
    'samples.json',
    'stray.ts',
  ];
  expect(codegen('--check')).toEqual({ status: 1, lines: names.map(stale) });
  expect(filesIn(join(copy, 'generated'))).toEqual(before);
  writeFileSync(contract, text);
});

test('a run follows a change of each contract, although it keeps earlier results of generators', () => {
  const kept = join(copy, 'node_modules/.cache/codegen');
  codegen();
  const edits = [
    ['openapi.yaml', 'operationId: getHealth', 'operationId: getWellbeing', 'rest.ts', 'getWellbeing'],
    ['operator.openapi.yaml', 'operationId: listNames', 'operationId: listWellbeing', 'operator.ts', 'listWellbeing'],
    ['schema.graphql', 'type Query {', 'type Query {\n  wellbeing: String', 'graphql.ts', 'wellbeing'],
    [
      'tracking-webhook.schema.json',
      '"properties": {',
      '"properties": { "wellbeing": {},',
      'tracking-webhook.ts',
      'wellbeing',
    ],
  ] as const;
  for (const [file, before, after, made, word] of edits) {
    const contract = join(copy, 'contracts', file);
    const text = readFileSync(contract, 'utf8');
    writeFileSync(contract, text.replace(before, after));
    expect([made, codegen()]).toEqual([made, { status: 0, lines: [] }]);
    expect([made, readFileSync(join(copy, 'generated', made), 'utf8')]).toEqual([made, expect.stringContaining(word)]);
    writeFileSync(contract, text);
  }
  codegen();
  for (const file of readdirSync(kept)) {
    const { key } = JSON.parse(readFileSync(join(kept, file), 'utf8'));
    writeFileSync(join(kept, file), JSON.stringify({ key, text: 'export {};' }));
  }
  expect(codegen('--check')).toEqual({ status: 0, lines: [] });
  rmSync(kept, { recursive: true });
});

test('a run makes every file with the same bytes as the checked-in one', () => {
  expect(codegen()).toEqual({ status: 0, lines: [] });
  expect(filesIn(join(copy, 'generated'))).toEqual(filesIn(resolve(project, 'generated')));
});
