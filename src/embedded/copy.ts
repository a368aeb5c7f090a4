import { createHash } from 'node:crypto';
import { chmod, cp, lstat, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';

type Links = ReadonlyMap<string, string>;

/** Copies the folder, readable by all, into the first temporary directory where `works`; a whole copy is used again. */
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

/** Size in bytes of each plain file, by path. */
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

/** Tells whether the copy is this user's own and complete: temporary directories are open to all, and old files go. */
async function isWhole(target: string, files: Files): Promise<boolean> {
  const existing = await lstat(target).catch(() => undefined);
  if (!existing?.isDirectory()) return false;
  const safe = existing.uid === (process.getuid?.() ?? existing.uid) && (existing.mode & 0o022) === 0;
  if (!safe) return false;
  // Another process may be deleting it.
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
  // Links that lead elsewhere are made below.
  const isCopied = async (path: string) => !(await lstat(path)).isSymbolicLink();
  await cp(source, draft, { recursive: true, filter: isCopied });
  for (const entry of await readdir(draft, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    await chmod(path, entry.isDirectory() || basename(entry.parentPath) === 'bin' ? 0o755 : 0o644);
  }
  for (const [path, to] of links) await symlink(basename(to), join(draft, path));
  await chmod(draft, 0o755);
}

/** Puts the draft in its place. Another process's copy that is there already is as good; a partly deleted one goes. */
async function takePlace(draft: string, target: string, files: Files): Promise<void> {
  if (await isWhole(target, files)) return;
  const spoilt = `${draft}.old`;
  await rename(target, spoilt).catch(() => undefined);
  await rename(draft, target).catch(() => undefined);
  await rm(spoilt, { recursive: true, force: true });
}
