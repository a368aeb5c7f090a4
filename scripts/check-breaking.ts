/**
 * Fails when a contract would break the clients of its last release, except the changes listed beside the released
 * contracts: npm run lint:breaking
 * Two folders may be given, the released contracts and the current ones.
 */
import { fileURLToPath } from 'node:url';
import { compareContracts, isReleased } from './breaking/compare.js';
import { judge } from './breaking/exceptions.js';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const [released = folder('../contracts/released'), current = folder('../contracts')] = process.argv.slice(2);

const ADVICE = `
A breaking change comes in a new version beside the old one (/api/v2, a new GraphQL field, a new webhook field). What it
replaces stays for 12 months, marked "deprecated: true" with x-deprecated-at and x-sunset (@deprecated in GraphQL).
`;

async function check(): Promise<number> {
  if (!isReleased(released)) {
    console.error(`${released} does not hold the released contracts: "npm run release" puts them there.`);
    return 1;
  }
  const differences = await compareContracts(released, current);
  for (const [file, breaks] of differences) console.log(`${file}: ${breaks.length || 'no'} breaking changes`);
  const { breaks, excused, idle } = judge(differences, released);
  if (excused > 0) console.log(`${excused} of them are listed exceptions`);
  for (const line of [...breaks, ...idle]) console.error(line);
  if (breaks.length > 0) console.error(ADVICE);
  return breaks.length + idle.length > 0 ? 1 : 0;
}

process.exitCode = await check().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
