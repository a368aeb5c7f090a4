import { execFile } from 'node:child_process';
import { cp, mkdir, realpath, rename, rm, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Build, compiledIn } from '../../../test/support/processes/child.js';

/** The last release and where it is in the history of the project: "npm run release" is followed by a change of both. */
export const RELEASE = '1.2.0';
const COMMIT = '77f48c9';

const execute = promisify(execFile);

/** The last release, built from the history with the modules that are installed. Throws where the history lacks it. */
export async function releasedBuild(): Promise<Build> {
  const tree = join(tmpdir(), `malote-released-${COMMIT}`);
  const isBuilt = await stat(tree).then(
    () => true,
    () => false,
  );
  if (!isBuilt) {
    const unfinished = `${tree}-${process.pid}`;
    await build(unfinished).catch(async (error) => {
      await rm(unfinished, { recursive: true, force: true });
      throw error;
    });
    await rename(unfinished, tree);
  }
  await linkModules(tree);
  return compiledIn(join(tree, 'dist'));
}

// A copy of the project has its modules by a link to those of the repository.
const modules = () => realpath('node_modules');

/** Anew for each run: the build outlives the copy of the project that made it. */
async function linkModules(tree: string): Promise<void> {
  const link = join(tree, `modules-${process.pid}`);
  await symlink(await modules(), link);
  await rename(link, join(tree, 'node_modules'));
}

async function build(tree: string): Promise<void> {
  await mkdir(tree);
  const archive = join(tree, 'tree.tar');
  await execute('git', ['-C', dirname(await modules()), 'archive', '-o', archive, COMMIT]).catch((cause: unknown) => {
    throw new Error(`release ${RELEASE}, commit ${COMMIT}, is not in the history: git fetch --unshallow`, { cause });
  });
  await execute('tar', ['-xf', archive, '-C', tree]);
  await linkModules(tree);
  const compiler = 'node_modules/typescript/bin/tsc';
  await execute(process.execPath, [compiler, '-p', 'tsconfig.build.json'], { cwd: tree });
  await cp(join(tree, 'contracts'), join(tree, 'dist/contracts'), { recursive: true });
  await cp(join(tree, 'src/routing/data'), join(tree, 'dist/src/routing/data'), { recursive: true });
}
