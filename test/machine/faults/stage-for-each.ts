import { afterEach, beforeEach } from '@jest/globals';
import { createDatabase } from '../../support/database.js';
import { fromSource } from '../../support/processes/child.js';
import { openStage, type Stage } from '../../support/processes/stage.js';

export let stage: Stage;

/** Gives each test of the file a stage on a database of its own. */
export function stageForEach(): void {
  let end = async () => {};
  beforeEach(async () => {
    const { db, url: databaseUrl, drop } = await createDatabase();
    stage = await openStage({ db, databaseUrl, build: fromSource });
    end = () => stage.close().then(drop);
  });
  afterEach(() => end());
}
