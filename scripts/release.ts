/**
 * Copies the contracts, the journeys, the names of the migrations and the schema to `contracts/released/`, for the
 * checks of the next releases: npm run release. First raise `info.version` of both OpenAPI contracts (a compatible
 * addition raises the second number); the tag and the package follow that version. Refuses a breaking change that is
 * not listed in exceptions.yaml beside the released contracts, and a change under the version that is out already.
 */
import { copyFileSync, cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrations } from '../src/db/migrations/index.js';
import { isBefore } from '../src/db/migrations/records.js';
import { compareContracts, contractFiles, isReleased, textOf, versionOf } from './breaking/compare.js';
import { closeExceptions, judge } from './breaking/exceptions.js';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const [released = folder('../contracts/released'), current = folder('../contracts')] = process.argv.slice(2);

/** Throws when the contracts cannot follow the last release. */
async function demandSuccessor(version: string): Promise<void> {
  const earlier = versionOf(released);
  const changed = contractFiles.filter((file) => textOf(released, file) !== textOf(current, file));
  if (changed.length > 0 && !isBefore(earlier, version))
    throw new Error(`${changed.join(', ')} changed since ${earlier}: raise info.version in both OpenAPI contracts`);
  const { breaks, idle } = judge(await compareContracts(released, current), released);
  if (breaks.length > 0) throw new Error(`these changes would break clients:\n${breaks.join('\n')}`);
  if (idle.length > 0) throw new Error(idle.join('\n'));
}

async function release(): Promise<void> {
  const version = versionOf(current);
  if (isReleased(released)) await demandSuccessor(version);
  mkdirSync(released, { recursive: true });
  for (const file of contractFiles) copyFileSync(join(current, file), join(released, file));
  rmSync(join(released, 'journeys'), { recursive: true, force: true });
  cpSync(join(current, 'journeys'), join(released, 'journeys'), { recursive: true });
  writeFileSync(join(released, 'migrations.txt'), `${Object.keys(migrations).join('\n')}\n`);
  copyFileSync(folder('../src/db/schema.sql'), join(released, 'schema.sql'));
  closeExceptions(released);
  console.log(`Released the contracts as ${version}: check in contracts/released and tag v${version}.`);
}

await release().catch((error: unknown) => {
  console.error(`not released: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
