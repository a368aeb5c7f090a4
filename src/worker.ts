import { createApp } from './app.js';
import { loadConfig, readEnvironment } from './base/config.js';
import { runProcess } from './base/process.js';
import { ConfigError } from './base/settings.js';

/** The sender alone; as many as wanted may run on one database. */
await runProcess(async () => {
  const config = loadConfig(readEnvironment());
  if (!config.databaseUrl) throw new ConfigError('DATABASE_URL must be set: a worker shares its database with the API');
  const app = await createApp(config, { api: false });
  process.stdout.write(`Malote's worker is sending; probes and metrics at ${app.internalUrl}/readyz\n`);
  return app;
});
