import { expect, test } from '@jest/globals';
import { builtTables, storedTable } from '../../scripts/places/tables.js';

test('the stored tables of places equal those built from their sources: npx tsx scripts/places/build.ts', () => {
  const stale = Object.entries(builtTables()).filter(([name, content]) => storedTable(name) !== content);
  expect(stale.map(([name]) => name)).toEqual([]);
}, 180_000);
