import { execFile } from 'node:child_process';
import { mkdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Build, compiledIn } from '../../../test/support/processes/child.js';
import { NotTriedError } from '../report.js';

/** A release, and its commit in the project's history. */
export interface Release {
  version: string;
  commit: string;
}

/** Change this after "npm run release". */
export const lastRelease: Release = { version: '1.7.0', commit: '00df7f14' };
/** A release that cannot use a database of this build. */
export const tooOld: Release = { version: '1.6.0', commit: '08cf0afe' };

const execute = promisify(execFile);

/** Builds a release from the history with the installed modules. Throws NotTriedError if the history lacks it. */
export async function releasedBuild(release: Release): Promise<Build> {
  const tree = join(tmpdir(), `malote-released-${release.commit}`);
  const isBuilt = await stat(tree).then(
    () => true,
    () => false,
  );
  if (!isBuilt) {
    const unfinished = `${tree}-${process.pid}`;
    await build(release, unfinished).catch(async (error) => {
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    });
    await rename(unfinished, tree);
  }
  await linkModules(tree);
  return compiledIn(join(tree, 'dist'));
}

// A copy of the project links to the modules of the repository.
const modules = () => realpath('node_modules');

/** Linked at each run, because the build outlives the copy of the project that made it. */
async function linkModules(tree: string): Promise<void> {
  const link = join(tree, `modules-${process.pid}`);
  await symlink(await modules(), link);
  await rename(link, join(tree, 'node_modules'));
}

async function build({ version, commit }: Release, tree: string): Promise<void> {
  await mkdir(tree);
  const archive = join(tree, 'tree.tar');
  await execute('git', ['-C', dirname(await modules()), 'archive', '-o', archive, commit]).catch((cause: unknown) => {
    const missing = `release ${version}, commit ${commit}, is not in a git history here (git fetch --unshallow)`;
    throw new NotTriedError(missing, { cause });
  });
  await execute('tar', ['-xf', archive, '-C', tree]);
  await linkModules(tree);
  await execute('npm', ['run', '--silent', 'build'], { cwd: tree });
}
