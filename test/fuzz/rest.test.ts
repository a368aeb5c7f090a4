import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type ContractName, describedBy } from '../contract/oracle.js';
import { absentRecords } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { newRecords, recordSettings } from '../support/records.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { exchange, faultsOf } from './exchange.js';
import { requestFor, type Scene } from './requests.js';
import { timeLimit, tryAll } from './runs.js';

let scene: Scene;

const unlimited = { RATE_LIMIT_PUBLIC_PER_HOUR: '0', RATE_LIMIT_ACCOUNT_PER_HOUR: '0' };

/** Records and tokens; failed logins that were fuzzed do not stand in the way. */
async function newScene(): Promise<Scene> {
  await service.db.deleteFrom('login_failures').execute();
  const [own, foreign] = [await newRecords(service), await newRecords(service)];
  const { token } = await service.signIn(operatorLogin);
  return { operatorToken: token, own, foreign, absent: absentRecords(own.token) };
}

const service = await ownService({ ...recordSettings, ...unlimited });

beforeAll(async () => {
  scene = await newScene();
});

/** Earlier requests may have removed the account, its role or its password. */
async function refresh(): Promise<void> {
  for (const token of [scene.own.token, scene.operatorToken]) {
    const { status } = await ask(service.url, 'GET', '/api/v1/users/me', { token });
    if (status !== 200) scene = await newScene();
  }
}

test.each<[string, ContractName]>([
  ['A', 'rest'],
  ['D', 'operator'],
])(
  '%s answers whatever is sent as its contract says, and never with a 5xx',
  async (name, contract) => {
    const operations = describedBy(contract).filter(({ isStatic }) => !isStatic);
    const statuses = new Map<number, number>();
    await tryAll(name, fc.oneof(...operations.map(requestFor)), async (make) => {
      const request = make(scene);
      const answer = await exchange(service.url, request);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 401) await refresh();
      const faults = faultsOf(request, answer);
      if (faults.length > 0) throw new Error(`${faults.join('\n')}\n${JSON.stringify(request)}\n${answer.text}`);
    });
    const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
    process.stdout.write(`${name}: ${counts.join(', ')}\n`);
    expect(statuses.get(200)).toBeGreaterThan(0);
  },
  timeLimit,
);
