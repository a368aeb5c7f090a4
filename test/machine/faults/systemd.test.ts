import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../../support/folder.js';
import { waitFor } from '../../support/receiver.js';
import { describeWith } from '../../support/tools.js';
import { stage, stageForEach } from './stage-for-each.js';

const parent = await ownFolder();
stageForEach();

/** Makes a folder with a `systemd-notify` that records its messages as systemd's program would send them. */
async function recordingFolder() {
  const folder = await mkdtemp(join(parent, 'of-one-test-'));
  const file = join(folder, 'told');
  const program = join(folder, 'systemd-notify');
  await writeFile(program, `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" >> ${file}\n`);
  await chmod(program, 0o755);
  const told = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return { folder, told };
}

/** Settings of a unit with a watchdog, which uses the `systemd-notify` of the folder. */
const watched = (folder: string): NodeJS.ProcessEnv => ({
  PATH: `${folder}:${process.env['PATH']}`,
  NOTIFY_SOCKET: '/run/notify',
  WATCHDOG_USEC: '200000',
});

test('the service tells systemd that it is ready, alive and stopping', async () => {
  const { folder, told } = await recordingFolder();
  const worker = await stage.start('worker', [], watched(folder));
  await waitFor(async () => (await told()).length > 3, 'signs of life');
  expect((await told()).slice(0, 3)).toEqual([
    'READY=1 /run/notify',
    'WATCHDOG=1 /run/notify',
    'WATCHDOG=1 /run/notify',
  ]);
  await worker.signal('SIGTERM');
  await waitFor(async () => (await told()).includes('STOPPING=1 /run/notify'), 'the last word');
  expect((await told()).filter((line) => line.startsWith('READY'))).toHaveLength(1);
});

/** Makes the event loop of a process hang at SIGUSR2. */
const hangs = `--import data:text/javascript,${encodeURIComponent('process.on("SIGUSR2", () => { for (;;); })')}`;

test('a process that hangs sends systemd no more signs of life, while others do', async () => {
  const [hanging, living] = [await recordingFolder(), await recordingFolder()];
  const worker = await stage.start('worker', [], { ...watched(hanging.folder), NODE_OPTIONS: hangs });
  await stage.start('worker', [], watched(living.folder));
  await waitFor(async () => (await hanging.told()).length > 3, 'signs of life');
  await worker.signal('SIGUSR2');
  const othersAt = (await living.told()).length;
  // Signs that were on their way at the signal have arrived by now.
  await waitFor(async () => (await living.told()).length > othersAt + 10, 'ten signs of life of the other');
  const heard = (await hanging.told()).length;
  await waitFor(async () => (await living.told()).length > othersAt + 20, 'ten more');
  expect((await hanging.told()).length).toBe(heard);
});

/** Prints each datagram that comes to a socket. */
const RECEIVER = `import socket, sys
listener = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
listener.bind(sys.argv[1])
print('listens')
while True:
    datagram = listener.recv(4096).decode()
    if datagram != 'BARRIER=1': print(datagram)`;

describeWith('systemd', 'a socket of datagrams, as systemd listens on it', () => {
  test('gets what the program of systemd sends', async () => {
    const socket = join(await mkdtemp(join(parent, 'socket-')), 'notify');
    const receiver = spawn('python3', ['-uc', RECEIVER, socket], { stdio: ['ignore', 'pipe', 'inherit'] });
    let heard = '';
    receiver.stdout.on('data', (chunk) => (heard += String(chunk)));
    try {
      await waitFor(() => heard.startsWith('listens\n'), 'the receiver to listen');
      const env = { PATH: process.env['PATH'], NOTIFY_SOCKET: socket, WATCHDOG_USEC: '200000' };
      const worker = await stage.start('worker', [], env);
      await waitFor(() => heard.includes('READY=1\nWATCHDOG=1\nWATCHDOG=1\n'), 'signs of life');
      await worker.signal('SIGTERM');
      await waitFor(() => heard.endsWith('STOPPING=1\n'), 'the last word');
    } finally {
      receiver.kill();
    }
  });
});

test('if systemd-notify is missing, one log line says so, and the service runs', async () => {
  const env = { PATH: '/nowhere', NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '100000' };
  const worker = await stage.start('worker', [], env);
  await waitFor(() => worker.output().includes('systemd.notify_failed'), 'the line');
  await worker.signal('SIGTERM');
  expect(worker.output().match(/systemd\.notify_failed/g)).toHaveLength(1);
});
