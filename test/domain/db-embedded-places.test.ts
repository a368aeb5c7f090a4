import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createLog } from '../../src/base/telemetry/log.js';
import { copyForAll } from '../../src/embedded/binaries.js';
import { homeOf } from '../../src/embedded/cluster.js';
import { serverUser } from '../../src/embedded/system-user.js';

const log = createLog({ level: 'silent' });
let folder: string;
let copy: string | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'malote-places-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
  if (copy) await rm(copy, { recursive: true, force: true });
  copy = undefined;
});

/** Writes a package that only its owner may read, with the link that its install script would make. */
async function writePackage(): Promise<void> {
  await mkdir(join(folder, 'bin'), { recursive: true, mode: 0o700 });
  await mkdir(join(folder, 'lib'), { recursive: true, mode: 0o700 });
  await writeFile(join(folder, 'bin/postgres'), `#!/bin/sh\n# ${folder}`, { mode: 0o600 });
  await writeFile(join(folder, 'lib/libx.so.1'), 'x', { mode: 0o600 });
}

const copiedNow = (works: (root: string) => Promise<boolean> = async () => true) =>
  copyForAll(folder, new Map([['lib/libx.so', 'lib/libx.so.1']]), works);

const copied: typeof copiedNow = (works) => writePackage().then(() => copiedNow(works));

const modeOf = async (...path: string[]) => (await stat(join(...path))).mode & 0o777;

describe('a copy of the programs', () => {
  test('can be read and run by everybody, and changed only by its owner', async () => {
    copy = await copied();
    expect(await readFile(join(copy ?? '', 'bin/postgres'), 'utf8')).toContain(folder);
    expect(await readlink(join(copy ?? '', 'lib/libx.so'))).toBe('libx.so.1');
    expect(await modeOf(copy ?? '')).toBe(0o755);
    expect(await modeOf(copy ?? '', 'bin/postgres')).toBe(0o755);
    expect(await modeOf(copy ?? '', 'lib/libx.so.1')).toBe(0o644);
  });

  test('is made once and used at the next start', async () => {
    copy = await copied();
    const { ino } = await lstat(copy ?? '');
    expect(await copied()).toBe(copy);
    expect((await lstat(copy ?? '')).ino).toBe(ino);
  });

  test('is made again when files of it are missing', async () => {
    copy = await copied();
    await rm(join(copy ?? '', 'lib/libx.so.1'));
    expect(await copied()).toBe(copy);
    expect(await readFile(join(copy ?? '', 'lib/libx.so.1'), 'utf8')).toBe('x');
  });

  test('is made again when other users could have changed it', async () => {
    copy = await copied();
    const { ino } = await lstat(copy ?? '');
    await chmod(copy ?? '', 0o777);
    expect(await copied()).toBe(copy);
    expect((await lstat(copy ?? '')).ino).not.toBe(ino);
    expect(await modeOf(copy ?? '')).toBe(0o755);
  });

  test('is made once by processes that start together, and leaves no other files', async () => {
    // Written before the processes start: the name of a copy depends on the contents of the package.
    await writePackage();
    const all = await Promise.all([1, 2, 3, 4].map(() => copiedNow()));
    copy = all[0];
    expect(new Set(all).size).toBe(1);
    const beside = await readdir(dirname(copy ?? ''));
    expect(beside.filter((name) => name.startsWith(basename(copy ?? '')))).toEqual([basename(copy ?? '')]);
  });

  test('is not used if its programs run in no folder', async () => {
    const tried: string[] = [];
    const works = async (root: string) => {
      tried.push(root);
      return false;
    };
    expect(await copied(works)).toBeUndefined();
    expect(tried.length).toBeGreaterThan(0);
    await Promise.all(tried.map((root) => rm(root, { recursive: true, force: true })));
  });
});

describe('the database', () => {
  test('is in the data directory', async () => {
    expect(await homeOf(join(folder, 'data'), undefined, log)).toMatch(/data\/postgres$/);
  });

  if (process.getuid?.() === 0) {
    test('of root is elsewhere if the user postgres cannot enter the data directory, and is new once that is deleted', async () => {
      const dataDir = join(folder, 'data');
      const account = await serverUser(join(dataDir, 'postgres'));
      const first = await homeOf(dataDir, account, log);
      expect(first).toMatch(/^\/var\/lib\/malote\/[0-9a-f-]{36}$/);
      expect(await homeOf(dataDir, account, log)).toBe(first);
      await rm(dataDir, { recursive: true });
      expect(await homeOf(dataDir, account, log)).not.toBe(first);
    });

    test('is run by root as the plain user who owns it', async () => {
      await chown(folder, 12_345, 12_346);
      expect(await serverUser(folder)).toEqual({ uid: 12_345, gid: 12_346 });
    });
  }
});
