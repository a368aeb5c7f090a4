import { rmSync } from 'node:fs';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Login } from '../http.js';
import { startChild } from './child.js';

/**
 * Starts a service on an embedded database in a folder of its own, at addresses of this machine. `settings` are what it
 * needs besides, and may put files into its folder.
 */
export async function startTemporaryService(
  args: readonly string[],
  operator: Login,
  settings: (folder: string) => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv>,
) {
  const folder = await mkdtemp(join(tmpdir(), 'malote-temporary-'));
  // The embedded PostgreSQL runs as another user when this one is root.
  await chmod(folder, 0o755);
  const remove = () => rm(folder, { recursive: true, force: true });
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  try {
    const child = await startChild(args, {
      HOST: '127.0.0.1',
      PORT: '0',
      INTERNAL_PORT: '0',
      DATA_DIR: folder,
      OPERATOR_EMAIL: operator.email,
      OPERATOR_PASSWORD: operator.password,
      LOG_LEVEL: 'warn',
      ...(await settings(folder)),
    });
    // A stop removes the folder too.
    return { child, folder, stop: () => child.signal('SIGTERM').then(remove) };
  } catch (error) {
    await remove();
    throw error;
  }
}
