import { optionsOf } from './app/arguments.js';
import { runService } from './app/run.js';

/** The worker alone; any number of them may run on one database. */
const options = optionsOf('npm run worker --', 'Runs the worker alone, which sends the tracking webhook.');
if (options) {
  await runService(
    { api: false },
    ({ internalUrl }) => `Malote's worker is sending; probes and metrics at ${internalUrl}/readyz`,
  );
}
