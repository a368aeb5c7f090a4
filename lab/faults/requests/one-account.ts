import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { orderBody } from '../../../test/support/bodies.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { newCustomer } from '../../../test/support/processes/orders.js';
import { operatorLogin } from '../../../test/support/service.js';
import { quantile } from '../../figures.js';
import type { Fault } from '../fault.js';
import type { Flood, FloodKind, FloodResult } from './flood.js';

const CLIENTS = 100;
/**
 * Orders of the other accounts in one measurement: enough for a 99th percentile. If they take this long, fewer are
 * measured.
 */
const ORDERS = 300;
const MAX_MS = 15_000;
const MAX_TIMES = 3;
/** The least wait assumed for an idle service: on two cores, answers to the flood alone delay others by as much. */
const MIN_IDLE_MS = 15;
// Measurements before a breach is believed, because the machine may be busy with other work.
const TRIES = 3;
const SETTLE_MS = 500;

/**
 * A kind of request, and the allowed answers to the flood. Its `size` is given if it differs from a hundred
 * connections.
 */
interface Row {
  kind: FloodKind;
  answers: readonly string[];
  clients?: number;
}

const rows: readonly Row[] = [
  { kind: 'orders of 50 packages', answers: ['201', '429'] },
  { kind: 'estimates of 100', answers: ['200', '429'] },
  { kind: 'estimates to 100 streets of 20 cities', answers: ['200', '429'] },
  { kind: 'lists of 100 orders', answers: ['200', '429'] },
  { kind: 'bodies of 60,000 names', answers: ['400', '429'], clients: 30 },
  { kind: 'variables of 60,000 names, without credentials', answers: ['413', '429'], clients: 30 },
  { kind: 'bodies of 0.76 MB with a wrong token', answers: ['401'], clients: 30 },
  { kind: 'right logins', answers: ['200', '503'], clients: 30 },
  { kind: 'wrong logins', answers: ['401', '503'], clients: 200 },
  { kind: 'wrong API keys', answers: ['401', '503'] },
  { kind: 'wrong looks at /rastreio', answers: ['404', '503'] },
  { kind: 'searches of an operator', answers: ['200', '429', '503'] },
];

interface Scene {
  url: string;
  token: string;
  customer: Flood['customer'];
  operatorToken: string;
  child: ChildProcess;
}

/** Orders of one package, one after the other, by an account that sends nothing else. */
async function others({ url, token }: Scene) {
  const latencies: number[] = [];
  let refused = 0;
  const end = performance.now() + MAX_MS;
  while (latencies.length < ORDERS && performance.now() < end) {
    const sent = performance.now();
    const { status } = await ask(url, 'POST', '/api/v1/orders', { token, body: orderBody() });
    latencies.push(performance.now() - sent);
    if (status !== 201) refused += 1;
  }
  return { p99: quantile(latencies, 0.99), refused };
}

/** The same while another account sends as much as it can. */
async function besideFlood(scene: Scene, { kind, clients = CLIENTS }: Row) {
  const { child, url, customer, operatorToken } = scene;
  child.send({ kind, url, clients, customer, operatorToken } satisfies Flood);
  await sleep(SETTLE_MS);
  const measured = await others(scene);
  child.send('stop');
  const [result]: FloodResult[] = await once(child, 'message');
  return { ...measured, statuses: result ?? {} };
}

async function compare(scene: Scene, row: Row): Promise<Finding> {
  const before = await others(scene);
  const beside = await besideFlood(scene, row);
  const after = await others(scene);
  const { kind } = row;
  const idle = Math.max(MIN_IDLE_MS, before.p99, after.p99);
  const answers = Object.entries(beside.statuses).map(([status, times]) => `${times} × ${status}`);
  const unexpected = Object.keys(beside.statuses).filter((status) => !row.answers.includes(status));
  return {
    figures: `${kind}: others' p99 ${Math.max(before.p99, after.p99).toFixed(0)} ms, then ${beside.p99.toFixed(0)} ms, ${beside.refused} refused; its own ${answers.join(', ')}`,
    breaches: [
      ...expectThat(beside.refused === 0, `${kind}: ${beside.refused} orders of others were refused`),
      ...expectThat(
        beside.p99 <= MAX_TIMES * idle,
        `${kind}: others waited ${(beside.p99 / idle).toFixed(1)} times as long`,
      ),
      ...expectThat(unexpected.length === 0, `${kind}: the flood itself was answered ${unexpected.join()}`),
    ],
  };
}

async function tryRow(scene: Scene, row: Row): Promise<Finding> {
  let finding = await compare(scene, row);
  for (let again = 1; again < TRIES && finding.breaches.length > 0; again += 1) finding = await compare(scene, row);
  console.log(finding.figures);
  return finding;
}

export const oneAccount: Fault = {
  what: `${CLIENTS} connections of one account, of an operator, of nobody or of many addresses that send ${rows.length} kinds of requests as fast as they can`,
  promise: `no order of others is refused, their p99 is at most ${MAX_TIMES} × what it was; the flood: 429 or 503 at most`,
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    // The default of the setting, because other trials let requests wait longer.
    const env = { DATABASE_CONNECT_TIMEOUT_MS: '700', TRUST_PROXY: '1' };
    const { url } = await stage.start('api --no-sender', [receiver.port], env);
    const flooding = await newCustomer(stage, receiver);
    const child = fork(new URL('flood.ts', import.meta.url), { execArgv: ['--import', 'tsx'] });
    const scene: Scene = {
      url,
      child,
      token: await accessToken(url, await newCustomer(stage, receiver)),
      customer: { ...flooding, token: await accessToken(url, flooding) },
      operatorToken: await accessToken(url, operatorLogin),
    };
    const findings: Finding[] = [];
    for (const row of rows) findings.push(await tryRow(scene, row));
    child.disconnect();
    return {
      figures: findings.map(({ figures }) => figures).join('; '),
      breaches: findings.flatMap(({ breaches }) => breaches),
    };
  },
};
