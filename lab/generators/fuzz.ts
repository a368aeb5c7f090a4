/**
 * Sends requests that Schemathesis makes from the published OpenAPI contracts to a service started from the sources:
 * npx tsx lab/generators/fuzz.ts [--seconds 200]. Every answer must follow the contract, with its headers and body, and
 * none may be a 5xx. A request that the contract forbids must be refused. Ends with 1 if an answer breaks a rule.
 * Schemathesis then prints the calls that repeat it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { accessToken } from '../../test/support/http.js';
import { operatorLogin } from '../../test/support/service.js';
import { pythonWith } from '../cluster/packages.js';
import { startTarget } from './target.js';

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '200' } } });

/** Left out: some rules that no schema can express refuse valid requests, and revoked keys can still be read. */
const leftOut = ['positive_data_acceptance', 'use_after_free'];
/** These operations would end the access of the calling account. */
const NOT_CALLED =
  'updateUser deleteUser beginSecondFactor confirmSecondFactor removeSecondFactor eraseUser holdUser rotateApiKey ' +
  'beginOwnSecondFactor confirmOwnSecondFactor setSecondFactorRule';

const python = await pythonWith('schemathesis', ['schemathesis==4.32.5'], console.log, 'python3');
const folder = await mkdtemp(join(tmpdir(), 'malote-fuzz-'));
const { url, stop } = await startTarget();
try {
  const token = await accessToken(url, operatorLogin);
  for (const contract of ['openapi.yaml', 'operator.openapi.yaml']) {
    const choices = [
      ...['--header', `Authorization: Bearer ${token}`, '--max-time', values.seconds, '--continue-on-failure'],
      ...['--exclude-checks', leftOut.join(), '--suppress-health-check', 'all', '--warnings', 'off'],
      ...NOT_CALLED.split(' ').flatMap((id) => ['--exclude-operation-id', id]),
    ];
    const args = ['run', `${url}/docs/${contract}`, '--url', url, ...choices];
    const child = spawn(join(dirname(python), 'schemathesis'), args, { cwd: folder, stdio: 'inherit' });
    const [code] = await once(child, 'exit');
    if (code !== 0) process.exitCode = 1;
  }
} finally {
  await stop();
  await rm(folder, { recursive: true });
}
