import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ownFolder } from '../../support/folder.js';
import { waitFor } from '../../support/receiver.js';
import { stage, stageForEach } from './stage-for-each.js';

const parent = await ownFolder();
stageForEach();

/** A folder whose `systemd-notify` writes down what it is run with, as the program of systemd would send it. */
async function recordingFolder() {
  const folder = await mkdtemp(join(parent, 'of-one-test-'));
  const file = join(folder, 'told');
  const program = join(folder, 'systemd-notify');
  await writeFile(program, `#!/bin/sh\necho "$1 $NOTIFY_SOCKET" >> ${file}\n`);
  await chmod(program, 0o755);
  const told = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').filter((line) => line !== '');
  return { folder, told };
}

test.each(['1', '2'])(
  'systemd hears that the service is ready, that it lives, and that it stops: %s processes',
  async (processes) => {
    const { folder, told } = await recordingFolder();
    const env = { PATH: `${folder}:${process.env['PATH']}`, NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '200000' };
    const worker = await stage.start('worker', [], { ...env, PROCESSES: processes });
    await waitFor(async () => (await told()).length > 3, 'signs of life');
    expect((await told()).slice(0, 3)).toEqual([
      'READY=1 /run/notify',
      'WATCHDOG=1 /run/notify',
      'WATCHDOG=1 /run/notify',
    ]);
    await worker.signal('SIGTERM');
    await waitFor(async () => (await told()).includes('STOPPING=1 /run/notify'), 'the last word');
    expect((await told()).filter((line) => line.startsWith('READY'))).toHaveLength(1);
  },
);

test('where its program is missing, one line of the log says so, and the service runs', async () => {
  const env = { PATH: '/nowhere', NOTIFY_SOCKET: '/run/notify', WATCHDOG_USEC: '100000' };
  const worker = await stage.start('worker', [], env);
  await waitFor(() => worker.output().includes('cannot tell systemd'), 'the line');
  await worker.signal('SIGTERM');
  expect(worker.output().match(/cannot tell systemd/g)).toHaveLength(1);
});
