#!/usr/bin/env node
import { loadCliConfig } from './base/cli-config.js';
import { readEnvironment } from './base/config.js';
import { runCli } from './operator/cli/run.js';

process.exitCode = await runCli(process.argv.slice(2), () => loadCliConfig(readEnvironment()), process);
