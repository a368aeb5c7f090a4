import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';

/** A folder of this test file, removed after its tests. All users may enter it, because PostgreSQL is another user. */
export async function ownFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-test-'));
  await chmod(folder, 0o755);
  afterAll(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
