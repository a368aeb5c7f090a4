import { createHash } from 'node:crypto';
import { chmod, copyFile, lstat, mkdir, mkdtemp, readdir, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';

type Links = ReadonlyMap<string, string>;

/**
 * A copy of the folder that every user may read and none but this one may change, in the first temporary directory
 * where `works` accepts it. Its name is made of its contents, so a copy is used again while it is whole.
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

/** Temporary directories are open to all and swept by age: the copy must be this user's own, and complete. */
async function isWhole(target: string, files: Files): Promise<boolean> {
  const existing = await lstat(target).catch(() => undefined);
  if (!existing?.isDirectory()) return false;
  const safe = existing.uid === (process.getuid?.() ?? existing.uid) && (existing.mode & 0o022) === 0;
  if (!safe) return false;
  // A rival may be taking it away just now.
  const there = await filesOf(target).catch(() => new Map<string, number>());
  return digest(there) === digest(files);
}

async function make(source: string, target: string, files: Files, links: Links): Promise<void> {
  const draft = await mkdtemp(`${target}.`);
  try {
    await fill(source, draft, files, links);
    await rename(draft, target).catch(() => takePlace(draft, target, files));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function fill(source: string, draft: string, files: Files, links: Links): Promise<void> {
  const paths = [...files.keys(), ...links.keys()];
  for (const folder of new Set(paths.flatMap((path) => ancestors(path)))) {
    await mkdir(join(draft, folder), { recursive: true });
    await chmod(join(draft, folder), 0o755);
  }
  for (const path of files.keys()) {
    await copyFile(join(source, path), join(draft, path));
    await chmod(join(draft, path), path.startsWith('bin/') ? 0o755 : 0o644);
  }
  for (const [path, to] of links) await symlink(basename(to), join(draft, path));
  await chmod(draft, 0o755);
}

function ancestors(path: string): string[] {
  const folder = dirname(path);
  return folder === '.' ? [] : [...ancestors(folder), folder];
}

/** A rival's copy that got there first is as good; one that was swept in part makes way. */
async function takePlace(draft: string, target: string, files: Files): Promise<void> {
  if (await isWhole(target, files)) return;
  const spoilt = `${draft}.old`;
  await rename(target, spoilt).catch(() => undefined);
  await rename(draft, target).catch(() => undefined);
  await rm(spoilt, { recursive: true, force: true });
}
