import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { orderBody } from '../../../test/support/bodies.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { newCustomer } from '../../../test/support/processes/orders.js';
import { quantile } from '../../figures.js';
import type { Fault } from '../fault.js';
import type { Flood, FloodResult } from './flood.js';

const CLIENTS = 100;
/** Orders of the others in one measurement, which is enough for a 99th percentile; fewer when they take for so long. */
const ORDERS = 200;
const LONGEST_MS = 15_000;
const MOST_TIMES = 3;
// A machine that does other things too is measured again before it is believed.
const TRIES = 3;

type Kind = Pick<Flood, 'method' | 'path' | 'packages'>;

const kinds: Readonly<Record<string, Kind>> = {
  'orders of 50 packages': { method: 'POST', path: '/api/v1/orders', packages: 50 },
  'estimates of 100': { method: 'POST', path: '/api/v1/estimates', packages: 100 },
  'lists of 100 orders': { method: 'GET', path: '/api/v1/orders?page_size=100' },
};

interface Scene {
  url: string;
  token: string;
  flooding: string;
  child: ChildProcess;
}

/** Orders of one package, one after the other, of an account that does nothing else. */
async function others({ url, token }: Scene) {
  const latencies: number[] = [];
  let refused = 0;
  const end = performance.now() + LONGEST_MS;
  while (latencies.length < ORDERS && performance.now() < end) {
    const sent = performance.now();
    const { status } = await ask(url, 'POST', '/api/v1/orders', { token, body: orderBody() });
    latencies.push(performance.now() - sent);
    if (status !== 201) refused += 1;
  }
  return { p99: quantile(latencies, 0.99), refused };
}

/** The same while an account sends as much as it can. */
async function besideFlood(scene: Scene, kind: Kind) {
  const { child, url, flooding } = scene;
  child.send({ ...kind, url, token: flooding, clients: CLIENTS } satisfies Flood);
  const measured = await others(scene);
  child.send('stop');
  const [result]: FloodResult[] = await once(child, 'message');
  return { ...measured, statuses: result ?? {} };
}

async function compare(scene: Scene, name: string, kind: Kind): Promise<Finding> {
  const before = await others(scene);
  const beside = await besideFlood(scene, kind);
  const after = await others(scene);
  const idle = Math.max(before.p99, after.p99);
  const answers = Object.entries(beside.statuses).map(([status, times]) => `${times} × ${status}`);
  const unexpected = Object.keys(beside.statuses).filter((status) => !['200', '201', '429'].includes(status));
  return {
    figures: `${name}: others' p99 ${idle.toFixed(0)} ms, then ${beside.p99.toFixed(0)} ms, ${beside.refused} refused; its own ${answers.join(', ')}`,
    breaches: [
      ...expectThat(beside.refused === 0, `${name}: ${beside.refused} orders of others were refused`),
      ...expectThat(
        beside.p99 <= MOST_TIMES * idle,
        `${name}: others waited ${(beside.p99 / idle).toFixed(1)} times as long`,
      ),
      ...expectThat(unexpected.length === 0, `${name}: the account itself was answered ${unexpected.join()}`),
    ],
  };
}

export const oneAccount: Fault = {
  what: `${CLIENTS} connections of one account that send orders of 50 packages, estimates of 100, and lists, as fast as they can`,
  promise: `no order of others is refused, their p99 is at most ${MOST_TIMES} × what it was; its own: 429 at most`,
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    // As it is by default: the other trials let requests wait for long.
    const env = { DATABASE_CONNECT_TIMEOUT_MS: '700' };
    const { url } = await stage.start('api --no-sender', [receiver.port], env);
    const [token, flooding] = [
      await accessToken(url, await newCustomer(stage, receiver)),
      await accessToken(url, await newCustomer(stage, receiver)),
    ];
    const child = fork(new URL('flood.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
    const scene: Scene = { url, token, flooding, child };
    const findings: Finding[] = [];
    for (const [name, kind] of Object.entries(kinds)) {
      let finding = await compare(scene, name, kind);
      for (let again = 1; again < TRIES && finding.breaches.length > 0; again += 1) {
        finding = await compare(scene, name, kind);
      }
      findings.push(finding);
      if (finding.breaches.length > 0) break;
    }
    child.disconnect();
    return {
      figures: findings.map(({ figures }) => figures).join('; '),
      breaches: findings.flatMap(({ breaches }) => breaches),
    };
  },
};
