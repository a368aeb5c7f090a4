import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { versionOf } from '../../../scripts/breaking/compare.js';
import { fileText } from '../../contract/contract-files.js';
import { journeysIn, redocly, respectSettings, runJourneys, setStage, workflowsOf } from '../../support/journeys.js';
import { arazzoRunner, describeWith } from '../../support/tools.js';

/** All journeys of this version and of the last release reach their end. */

const OWN = 'contracts/journeys';
const RELEASED = 'contracts/released/journeys';
const BEFORE_JOURNEYS = '1.2.0';

const stage = await setStage();
afterAll(() => stage.stop());

/** Each folder has its own account. The journeys of this version name theirs. */
const accounts: [folder: string, account: object, ...severities: string[]][] = [
  [OWN, {}],
  // The schemas of the last release refuse later additions here; contract/released-clients reads them.
  [RELEASED, { email: 'released@example.com' }, 'SCHEMA_CHECK=warn'],
];

test.each(accounts.filter(([folder]) => existsSync(folder)))(
  'the journeys of %s reach their ends',
  async (folder, account, ...severities) => {
    const files = await journeysIn(folder);
    const inputs = { ...stage.inputs, ...account };
    const { passed, workflows, output } = await runJourneys(files, stage.service.url, inputs, ...severities);
    expect([passed, passed ? '' : output]).toEqual([true, '']);
    expect(workflows).toEqual(workflowsOf(files));
  },
);

test('endpoints that the journeys register receive a test, the statuses of new packages, and a replay', () => {
  const { received } = stage.receiver;
  for (const mark of ['malote-test', 'malote-replay'])
    expect(received.filter(({ headers }) => headers[mark] === 'true')).not.toEqual([]);
  expect(received.length).toBeGreaterThan(5);
  expect(received.filter(({ authenticated }) => !authenticated)).toEqual([]);
});

test('the command of the guide runs a published journey', async () => {
  const [, block = ''] = /```sh\n(mkdir [\s\S]*?)```/.exec(fileText('contracts/guides/journeys.md')) ?? [];
  const npx = `npx() { shift; '${process.execPath}' '${redocly}' "$@"; }`;
  const script = `set -e; cd "$(mktemp -d)"; ${npx}\n${block}\nrm -r "$PWD"`;
  const env = { ...process.env, ...respectSettings, URL: stage.service.url };
  const { stdout, stderr } = await promisify(execFile)('bash', ['-c', script], { env });
  expect(stdout + stderr).toMatch(/Workflows:.* 2 passed/);
});

test('the guide lists each journey with its summary', async () => {
  const rows = [...fileText('contracts/guides/journeys.md').matchAll(/^\| \[([\w-]+\.yaml)\]\(.*?\) \| (.*?) \|/gm)];
  const summaries = (await journeysIn(OWN)).map((file) => [
    basename(file),
    parse(readFileSync(file, 'utf8')).info.summary,
  ]);
  expect(rows.map(([, file, does]) => [file, does]).sort()).toEqual(summaries.sort());
});

test('each release has journeys, and the next release runs them', () => {
  expect(existsSync(RELEASED)).toBe(versionOf('contracts/released') !== BEFORE_JOURNEYS);
});

/** A runner of another project, in another language, runs the published journeys, too. */

describeWith('arazzo-runner', 'arazzo-runner', (python) => {
  test('runs each journey to its end', async () => {
    const files = await journeysIn('contracts/journeys');
    const program = 'test/machine/languages/journeys/run.py';
    const inputs = JSON.stringify({ ...stage.inputs, email: 'another-runner@example.com' });
    const args = [program, stage.service.url, inputs, ...files.map((file) => basename(file))];
    const env = { ...process.env, PYTHONPATH: arazzoRunner };
    expect((await promisify(execFile)(python, args, { env })).stdout.trim().split('\n')).toEqual(workflowsOf(files));
  });
});
