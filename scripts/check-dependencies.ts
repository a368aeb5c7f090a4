/**
 * Fails when a package has a licence that is not on the list, or one that is shipped has a known hole of high severity
 * or more: npm run lint:dependencies. A registry that does not answer about holes is named, and is no failure.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { auditVerdict, licenceFaults, shippedPackages } from './dependencies.js';

/** Output of `npm audit`, which ends non-zero for holes and for a registry that does not answer alike. */
const audit = (): Promise<string> =>
  new Promise((resolve) => {
    const options = { timeout: 120_000, maxBuffer: 67_108_864 };
    execFile('npm', ['audit', '--audit-level=high', '--json'], options, (_error, stdout) => resolve(stdout));
  });

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const sources = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) => /\.tsx?$/.test(path));
const texts = sources.map((path) => readFileSync(`src/${path}`, 'utf8'));
// Bundled into the build (scripts/build.ts).
const builtIn = Object.keys(packages[''].devDependencies).filter((name) => {
  const named = new RegExp(`'${name}['/]`);
  return texts.some((text) => named.test(text));
});
const licences = licenceFaults(packages);
const verdict = auditVerdict(await audit(), shippedPackages(packages, builtIn));

console.log(
  `${Object.keys(packages).length - 1} packages, ${licences.length || 'none'} of a licence that is not on the list`,
);
if ('unanswered' in verdict) console.log(`note: known holes were not looked up: ${verdict.unanswered}`);
else console.log(`${verdict.holes.length || 'no'} known holes of high severity or more in what is shipped`);

const faults = [...licences, ...('holes' in verdict ? verdict.holes : [])];
for (const line of faults) console.error(line);
process.exitCode = faults.length > 0 ? 1 : 0;
