#!/usr/bin/env node
import { readEnvironment } from './base/config.js';
import { loadCliConfig } from './operator/cli/config.js';
import { runCli } from './operator/cli/run.js';

process.exitCode = await runCli(process.argv.slice(2), () => loadCliConfig(readEnvironment()), process);
