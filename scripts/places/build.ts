/**
 * Builds the embedded tables of places from scripts/places/sources: npx tsx scripts/places/build.ts
 * A test compares the stored tables with the sources.
 */
import { builtTables, storedTable, storeTable } from './tables.js';

for (const [name, content] of Object.entries(builtTables())) {
  const isFresh = storedTable(name) === content;
  console.log(`${name}: ${content.length} characters${isFresh ? '' : ', written'}`);
  if (!isFresh) storeTable(name, content);
}
