import * as ascendingIndexes from './0034-ascending-indexes.js';
import * as noDescendingIndexes from './0035-no-descending-indexes.js';
import { baseline } from './baseline/index.js';
import type { Migration } from './migration.js';
import { BASELINE } from './records.js';

/** Every migration, by name, in the order in which they run. Forward only: docs/migrations.md. */
export const migrations: Record<string, Migration> = {
  [BASELINE]: baseline,
  '0034-ascending-indexes': ascendingIndexes,
  '0035-no-descending-indexes': noDescendingIndexes,
};
