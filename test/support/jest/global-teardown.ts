import { rm } from 'node:fs/promises';
import { stop } from '../postgres.js';
import { removeCompiled } from './compiled.js';
import { endWorker } from './end-of-worker.js';
import { unseenProperties } from './observed-answers.js';
import { compareRows } from './row-types.js';

interface Run {
  testPathPatterns: { patterns: readonly string[] };
  testNamePattern?: string;
  onlyChanged: boolean;
}

/** Statements that only tests with other servers reach. */
const MACHINES_OWN = /^src\/db\/lists\/replica\.ts/;

/** Compares, after a run of all tests, what statements returned and answers held with their types and the contracts. */
export default async function teardown(run: Run): Promise<void> {
  await endWorker();
  await Promise.all([stop(), removeCompiled()]);
  const [rows = '', answers = ''] = [process.env['MALOTE_TEST_ROWS'], process.env['MALOTE_TEST_ANSWERS']];
  if (isWhole(run)) {
    await demandRowTypes(rows, (site) => !MACHINES_OWN.test(site));
    await demandProperties(answers);
  }
  if (isWhole(run, 'test/machine')) await demandRowTypes(rows, (site) => MACHINES_OWN.test(site));
  for (const file of [rows, answers]) await rm(file, { force: true });
}

const isWhole = ({ testPathPatterns: { patterns }, testNamePattern, onlyChanged }: Run, ...named: string[]): boolean =>
  patterns.join() === named.join() && !testNamePattern && !onlyChanged;

async function demandRowTypes(file: string, mustReturn: (site: string) => boolean): Promise<void> {
  const { wrong, unobserved } = await compareRows(file);
  const lines = [...wrong, ...unobserved.filter(mustReturn).map((site) => `${site}: returned no row in any test`)];
  if (lines.length > 0) throw new Error(`the types of results are not those of the database:\n${lines.join('\n')}`);
}

async function demandProperties(file: string): Promise<void> {
  const unseen = await unseenProperties(file);
  if (unseen.length > 0)
    throw new Error(`properties, reasons and codes that no answer held in any test:\n${unseen.join('\n')}`);
}
