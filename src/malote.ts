#!/usr/bin/env node
// A shebang cannot carry Node's flags everywhere, and only modules loaded after this line have their source maps read.
process.setSourceMapsEnabled(true);

const { loadCliConfig } = await import('./cli/config.js');
const { readEnvironment } = await import('./base/config.js');
const { operatorCommands } = await import('./cli/commands.js');
const { runCli } = await import('./cli/run.js');

process.exitCode = await runCli(
  operatorCommands,
  process.argv.slice(2),
  () => loadCliConfig(readEnvironment()),
  process,
  {
    verifyReceiver: async (...receiver) =>
      (await import('./webhook/receiver-checks/verify.js')).verifyReceiver(...receiver),
  },
);
