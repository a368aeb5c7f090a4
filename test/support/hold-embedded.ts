// Starts the embedded PostgreSQL in the data directory of its argument, prints the address, and keeps running.
import { createLog } from '../../src/base/telemetry/log.js';
import { startEmbedded } from '../../src/embedded/embedded.js';

const { url } = await startEmbedded({ dataDir: process.argv[2] ?? '', log: createLog({ level: 'silent' }) });
console.log(url);
setInterval(() => undefined, 60_000);
