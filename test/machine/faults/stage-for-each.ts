import { afterEach, beforeEach } from '@jest/globals';
import { createDatabase, type TestDatabase } from '../../support/database.js';
import { fromSource } from '../../support/processes/child.js';
import { openStage, type Stage } from '../../support/processes/stage.js';

/** Gives each test of the file a stage on a database of its own. */
export function stageForEach(use: (stage: Stage, database: TestDatabase) => void): void {
  let end = async () => {};
  beforeEach(async () => {
    const database = await createDatabase();
    const stage = await openStage({ db: database.db, databaseUrl: database.url, build: fromSource });
    end = async () => {
      await stage.close();
      await database.drop();
    };
    use(stage, database);
  });
  afterEach(() => end());
}
