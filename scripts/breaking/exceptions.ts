import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Contract, contractFiles, versionOf } from './compare.js';

/**
 * Breaking changes that the next release makes knowingly: `exceptions.yaml` beside the released contracts. They bind to
 * the release that they are against, so a new one starts with none.
 */

interface Exception {
  readonly contracts: readonly Contract[];
  /** Matches the lines of the check that it excuses. */
  readonly change: RegExp;
}

interface Judgement {
  /** Breaking changes that nothing excuses. */
  readonly breaks: string[];
  readonly excused: number;
  /** Exceptions that excuse nothing: they are mistaken, or no longer needed. */
  readonly idle: string[];
}

const fileIn = (released: string): string => join(released, 'exceptions.yaml');

const HEADER = `# Breaking changes that the next release makes, read by "npm run lint:breaking". "change" is a regular expression over a line that the
# check prints, "reason" says to integrators why it may break. "npm run release" keeps the list
# under the name of the version, and begins an empty one.
`;

const keptHeader = (version: string): string =>
  `# Breaking changes that ${version} made knowingly: "change" matches them as "npm run lint:breaking" printed them.\n`;

function contractsOf(names: unknown, at: string): Contract[] {
  const namedFiles = contractFiles.filter((name) => [names].flat().includes(name));
  if (namedFiles.length === 0 || namedFiles.length !== [names].flat().length)
    throw new Error(`${at}: contracts must be some of ${contractFiles.join(', ')}`);
  return namedFiles;
}

function exceptionsIn(released: string): Exception[] {
  if (!existsSync(fileIn(released))) return [];
  const { against, exceptions } = Object(parse(readFileSync(fileIn(released), 'utf8')));
  const version = versionOf(released);
  if (against !== version)
    throw new Error(`${fileIn(released)} is against ${against}, but the released version is ${version}`);
  return [exceptions ?? []].flat().map((entry: unknown, index) => {
    const { contracts, change, reason } = Object(entry);
    const at = `${fileIn(released)}: exception ${index + 1}`;
    if (typeof change !== 'string' || change === '') throw new Error(`${at} names no change`);
    if (typeof reason !== 'string' || reason.trim() === '') throw new Error(`${at} gives no reason`);
    return { contracts: contractsOf(contracts, at), change: new RegExp(change) };
  });
}

/** Holds what would break clients against the listed exceptions. Throws when the list itself is wrong. */
export function judge(breaks: ReadonlyMap<Contract, readonly string[]>, released: string): Judgement {
  const exceptions = exceptionsIn(released);
  const excuses = (exception: Exception, file: Contract, line: string): boolean =>
    exception.contracts.includes(file) && exception.change.test(line);
  const all = [...breaks].flatMap(([file, lines]) => lines.map((line) => [file, line] as const));
  const unexcused = all.filter(([file, line]) => !exceptions.some((exception) => excuses(exception, file, line)));
  const idle = exceptions.flatMap((exception) =>
    exception.contracts
      .filter((file) => !breaks.get(file)?.some((line) => excuses(exception, file, line)))
      .map((file) => `${file}: the exception ${exception.change.source} excuses nothing: take it out`),
  );
  return { breaks: unexcused.map(([file, line]) => `${file}: ${line}`), excused: all.length - unexcused.length, idle };
}

/**
 * Keeps the list under the name of the version that is released now, if there is anything in it, and begins an empty
 * one.
 */
export function closeExceptions(released: string): void {
  const version = versionOf(released);
  const list = existsSync(fileIn(released)) ? readFileSync(fileIn(released), 'utf8') : '';
  const isEmpty = [Object(parse(list)).exceptions ?? []].flat().length === 0;
  if (!isEmpty) writeFileSync(join(released, `exceptions-${version}.yaml`), list.replace(HEADER, keptHeader(version)));
  writeFileSync(fileIn(released), `${HEADER}against: ${version}\nexceptions: []\n`);
}
