import { runService } from './processes/run.js';

/** The worker alone; any number of them may run on one database. */
await runService(
  { api: false },
  ({ internalUrl }) => `Malote's worker is sending; probes and metrics at ${internalUrl}/readyz`,
);
