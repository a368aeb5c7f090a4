import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { causes } from './diagnosis/diagnosis.js';
import { mutants } from './mutants.js';
import { faultNames, topologyFaultNames } from './names.js';
import { topologyMutants } from './topology/mutants.js';

const root = new URL('../../', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');

test('every mutant quotes its source file as it is, and each quoted text is there exactly once', () => {
  const mismatches = [...mutants, ...topologyMutants].flatMap(({ fault, name, edits }) =>
    edits.flatMap(({ file, from }) => {
      const times = textOf(file).split(from).length - 1;
      return times === 1 ? [] : [`mutant "${name}" of ${fault}: in ${file} there is ${times} times: ${from}`];
    }),
  );
  assert.deepEqual(mismatches, []);
});

const described = (file: string) => [...textOf(file).matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);

test('the documents describe every fault, in the order in which they are tried, and no other', () => {
  assert.deepEqual(described('docs/faults.md'), [...faultNames]);
  assert.deepEqual(described('docs/cluster.md'), [...topologyFaultNames]);
  assert.deepEqual(described('docs/diagnosis.md'), [...causes]);
});
