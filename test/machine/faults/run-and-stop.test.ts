import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from '@jest/globals';
import { failureOf } from '../../support/database.js';
import { ownFolder } from '../../support/folder.js';
import { ask } from '../../support/http.js';
import { isRunning } from '../../support/processes/child.js';
import { waitFor } from '../../support/receiver.js';

// `npm start` and `make run`, unchanged, in a folder whose `dist` is the build of the tests.

const folder = await ownFolder();
const groups: number[] = [];

beforeAll(async () => {
  for (const file of ['package.json', 'Makefile']) await copyFile(file, join(folder, file));
  await symlink(process.env['MALOTE_TEST_BUILD'] ?? '', join(folder, 'dist'));
});
afterEach(() => {
  for (const group of groups.splice(0)) {
    try {
      process.kill(-group, 'SIGKILL');
    } catch {
      // All of them have ended.
    }
  }
});

/** Runs a command as the first of a group of processes, until the service that it starts is ready. */
async function run(command: string, args: readonly string[]) {
  const { PATH, HOME } = process.env;
  const dataDir = join(folder, 'data');
  const ports = { HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0' };
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, HOME, npm_config_update_notifier: 'false', ...ports, DATA_DIR: dataDir },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid: group = 0 } = child;
  groups.push(group);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const probes = () => /(http:\/\/[^\s/]+)\/readyz/.exec(output)?.[1];
  await waitFor(() => probes() !== undefined || child.exitCode !== null, `${command} to start the service`);
  const service = Number(/"pid":(\d+)/.exec(output)?.[1]);
  const postgres = Number((await readFile(join(dataDir, 'postgres/files/postmaster.pid'), 'utf8')).split('\n')[0]);
  const answers = async () => (await failureOf(ask(probes() ?? '', 'GET', '/livez'))) === undefined;
  expect([isRunning(service), isRunning(postgres), await answers()]).toEqual([true, true, true]);
  const ended = once(child, 'exit');
  const allEnded = async () => {
    await ended;
    await waitFor(() => !isRunning(service) && !isRunning(postgres), `the end of ${service} and ${postgres}`);
    expect(await answers()).toBe(false);
  };
  return { group, output: () => output, allEnded };
}

const npmStart = ['npm', 'start'];
// The results of `build` exist already.
const makeRun = ['make', '-o', 'build', 'run'];

test.each<[program: string[], signal: NodeJS.Signals, whom: string]>([
  [npmStart, 'SIGTERM', 'itself'],
  [npmStart, 'SIGINT', 'its group'],
  [makeRun, 'SIGTERM', 'itself'],
  [makeRun, 'SIGTERM', 'its group'],
])('the service and its database end with %j that gets %s %s', async ([command = '', ...args], signal, whom) => {
  const { group, output, allEnded } = await run(command, args);
  expect(output()).toMatch(
    /^Malote is ready at http.*\n +for people +http\S+\/console .*\/envios .*\n +for programs +http\S+\/docs\/guide\/ .*\/docs .*\/graphql/m,
  );
  process.kill(whom === 'itself' ? group : -group, signal);
  await allEnded();
  expect(output()).toMatch(/"msg":"service.stopped"/);
});
