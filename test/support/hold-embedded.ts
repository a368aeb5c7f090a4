// Starts the embedded PostgreSQL of the data directory that is its argument, prints the address, and stays.
import { createLog } from '../../src/base/telemetry/log.js';
import { startEmbedded } from '../../src/embedded/embedded.js';

const { url } = await startEmbedded({ dataDir: process.argv[2] ?? '', log: createLog({ level: 'silent' }) });
console.log(url);
setInterval(() => undefined, 60_000);
