import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { mutants } from '../../lab/faults/mutants.js';
import { faultNames, topologyFaultNames } from '../../lab/faults/names.js';
import { topologyMutants } from '../../lab/faults/topology/mutants.js';

const root = new URL('../../', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, root), 'utf8');

test('every mutant quotes its source file as it is, and each quoted text is there exactly once', () => {
  const mismatches = [...mutants, ...topologyMutants].flatMap(({ fault, name, edits }) =>
    edits.flatMap(({ file, from }) => {
      const times = textOf(file).split(from).length - 1;
      return times === 1 ? [] : [`mutant "${name}" of ${fault}: in ${file} there is ${times} times: ${from}`];
    }),
  );
  expect(mismatches).toEqual([]);
});

const described = (file: string) => [...textOf(file).matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, name]) => name);

test('the documents describe every fault, in the order in which they are tried, and no other', () => {
  expect(described('docs/faults.md')).toEqual(faultNames);
  expect(described('docs/cluster.md')).toEqual(topologyFaultNames);
});
