#!/usr/bin/env node
import { readEnvironment } from '../../src/base/config.js';
/** Runs the commands of the package `malote-client`. Integrators can use them without the service's repository. */
import { loadCliConfig } from '../../src/cli/config.js';
import { listen } from '../../src/cli/local/listen/command.js';
import { verifyReceiver } from '../../src/cli/local/verify-receiver.js';
import { mcp } from '../../src/cli/mcp/command.js';
import { runCli } from '../../src/cli/run.js';
import { verifyReceiver as send } from '../../src/webhook/receiver-checks/verify.js';
import { journey } from './journey.js';

const program = {
  name: 'malote-client',
  description: 'For integrators: tries of a receiver and of the journeys of the contracts, and a server for agents.',
  commands: [verifyReceiver, listen, journey, mcp],
  groups: {},
};

process.exitCode = await runCli(program, process.argv.slice(2), () => loadCliConfig(readEnvironment()), process, {
  verifyReceiver: send,
});
