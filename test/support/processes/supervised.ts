import { setTimeout as sleep } from 'node:timers/promises';
import { isFields, parseJson } from '../../../src/base/values.js';
import { failureOf } from '../database.js';
import { ask } from '../http.js';
import { between, type Random } from '../random.js';
import { PATIENCE_MS, waitFor } from '../receiver.js';
import type { Child } from './child.js';
import { expectThat, type Finding } from './judgement.js';
import { endLoad, newCustomer, startOrderLoad } from './orders.js';
import type { Stage } from './stage.js';

/** Trials of several processes under one supervisor. */

/** Log lines of a supervisor or a process. */
const linesOf = (child: Child) =>
  child
    .output()
    .split('\n')
    .map(parseJson)
    .filter((line) => isFields(line));

/** Ids of the processes that a supervisor has started, those that have ended included. */
export const startedBy = (supervisor: Child): number[] =>
  linesOf(supervisor).flatMap(({ msg, started }) => (msg === 'a process has started' ? [Number(started)] : []));

/** Ids of those that have ended, and how long the supervisor waited before it started another. */
export const endedBy = (supervisor: Child): { pid: number; pauseMs: number }[] =>
  linesOf(supervisor).flatMap(({ ended, pauseMs }) =>
    ended === undefined ? [] : [{ pid: Number(ended), pauseMs: Number(pauseMs) }],
  );

/** Where a supervisor answers the probes. */
export const probesOf = (supervisor: Child): string =>
  /(http:\/\/[^\s/]+)\/readyz/.exec(supervisor.output())?.[1] ?? '';

export const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Kills one of the processes, or lets it hang, and waits until there is another in its place. */
export async function killOne(
  supervisor: Child,
  pid: number,
  { signal, withinMs }: Blow = { signal: 'SIGKILL' },
): Promise<void> {
  const before = startedBy(supervisor).length;
  process.kill(pid, signal);
  await waitFor(() => startedBy(supervisor).length > before, 'a process in the place of the killed one', withinMs);
}

interface Blow {
  signal: 'SIGKILL' | 'SIGSTOP';
  /** Milliseconds until there is another process, at most. */
  withinMs?: number;
}

const loud = { LOG_LEVEL: 'info' };
const CLIENTS = 4;

/** Kills processes while clients create orders: the others go on, and there are soon as many as before. */
export async function killSupervised(
  { stage, random }: { stage: Stage; random: Random },
  kills: number,
  blow: Blow = { signal: 'SIGKILL' },
): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const customer = await newCustomer(stage, receiver);
  const supervisor = await stage.start('api', [receiver.port], { ...loud, PROCESSES: '2' });
  await waitFor(() => startedBy(supervisor).length === 2, 'two processes');
  const load = await startOrderLoad(() => supervisor.url, customer, CLIENTS);
  let replaced = 0;
  for (; replaced < kills; replaced += 1) {
    await sleep(between(random, 300, 1_200));
    const living = startedBy(supervisor).filter(isRunning);
    const killed = killOne(supervisor, living[between(random, 0, living.length - 1)] ?? 0, blow);
    if (await failureOf(killed)) break;
  }
  const finding = await endLoad(stage, load, kills);
  const cutOff = load.others.get(0) ?? 0;
  return {
    ...finding,
    breaches: [
      ...finding.breaches,
      ...expectThat(
        replaced === kills,
        `after kill ${replaced + 1} there was no other process within ${(blow.withinMs ?? PATIENCE_MS) / 1000} s`,
      ),
      // One for each client that a killed process was just answering.
      ...expectThat(cutOff <= kills * CLIENTS, `${cutOff} requests got no answer though other processes were there`),
    ],
  };
}

/** Status and remaining budget of one request, over a connection of its own. */
async function counted(url: string): Promise<{ status: number; remaining: number }> {
  const { status, headers } = await ask(url, 'GET', '/health', { headers: { Connection: 'close' } });
  return { status, remaining: Number(headers.get('x-ratelimit-remaining')) };
}

const TOO_MANY = 1.5;

/** Sends more requests at once than the limit lets pass, to three processes. */
export async function countTogether(stage: Stage, limit: number): Promise<Finding> {
  const env = { ...loud, PROCESSES: '3', RATE_LIMIT_PUBLIC_PER_HOUR: String(limit) };
  const supervisor = await stage.start('api --no-sender', [], env);
  const answers = await Promise.all(Array.from({ length: Math.ceil(limit * TOO_MANY) }, () => counted(supervisor.url)));
  const passed = answers.filter(({ status }) => status === 200);
  const left = new Set(passed.map(({ remaining }) => remaining));
  await waitFor(() => requestsOf(supervisor).length === answers.length, 'all lines of the log');
  const by = new Set(requestsOf(supervisor));
  return {
    figures: `${answers.length} requests at once to ${by.size} processes: ${passed.length} passed, the limit is ${limit}`,
    breaches: [
      ...expectThat(passed.length === limit, `${passed.length} requests passed, not ${limit}`),
      ...expectThat(left.size === passed.length, 'two requests were told the same number of remaining ones'),
      ...expectThat(by.size === 3, `${by.size} processes answered, not 3`),
    ],
  };
}

/** The process that answered, for each request. */
const requestsOf = (supervisor: Child): number[] =>
  linesOf(supervisor).flatMap(({ msg, pid }) => (msg === 'request' ? [Number(pid)] : []));
