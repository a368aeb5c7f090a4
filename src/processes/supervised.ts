import cluster from 'node:cluster';
import type { App, Overrides } from '../app/index.js';
import type { Config } from '../base/config.js';
import { runProcess } from '../base/process.js';
import { withResolvers } from '../base/resolvers.js';
import { WINDOW_MS } from '../http/limits/rate-limit.js';
import { type AskCounts, type Count, supervisedCounters } from '../http/limits/supervisor-store.js';
import { type Beginning, type FromProcess, type FromSupervisor, isFromSupervisor, openQuestions } from './messages.js';
import { BEAT_MS } from './silence.js';

const counting = openQuestions<readonly Count[]>();

function post(message: FromProcess, then = (): void => undefined): void {
  // A channel that closes meanwhile emits `disconnect`.
  process.send?.(message, undefined, undefined, then);
}

const askCounts: AskCounts = async (steps) =>
  process.connected ? counting.open((id) => post({ type: 'count', id, steps })) : undefined;

/** One of several processes: a service that leaves its database, its probes and its limits to the supervisor. */
export async function runSupervised(config: Config, parts: Overrides): Promise<void> {
  const { begin, stopped, answerFrom } = listenToSupervisor();
  const beginning = await Promise.race([begin, stopped.then(() => undefined)]);
  if (!beginning) return leave();
  const { processes, databaseUrl, internalUrl } = beginning;
  const storeFor = supervisedCounters(askCounts, processes, WINDOW_MS);
  const stop = await runProcess(
    async () => {
      const { createApp } = await import('../app/index.js');
      const app = await createApp({ ...config, databaseUrl }, { ...parts, supervised: { internalUrl, storeFor } });
      answerFrom(app.probes);
      // Without this, Node ends a process whose supervisor is gone at once, whatever it is doing.
      if (cluster.worker) cluster.worker.exitedAfterDisconnect = true;
      post({ type: 'started', url: app.url, firstOperator: app.firstOperator });
      return { ...app, stop: () => app.stop().then(leave) };
    },
    (message) => post({ type: 'failed', message }, leave),
  );
  stop(await stopped);
}

function leave(): void {
  if (process.connected) process.disconnect();
}

function listenToSupervisor() {
  const begin = withResolvers<Beginning>();
  const stopped = withResolvers<object>();
  let probes: App['probes'] | undefined;
  const answer = async (question: 'ready' | 'metrics'): Promise<unknown> =>
    question === 'ready' ? probes?.obstacles() : probes?.metrics.getMetricsAsJSON();
  const hear = async (message: FromSupervisor): Promise<void> => {
    if (message.type === 'begin') begin.resolve(message);
    else if (message.type === 'counts') counting.answer(message.id, message.counts);
    else if (message.type === 'stop') stopped.resolve({ by: 'supervisor' });
    else post({ type: 'answer', id: message.id, answer: await answer(message.question).catch(() => undefined) });
  };
  process.on('message', (message) => void (isFromSupervisor(message) && hear(message)));
  process.once('disconnect', () => {
    counting.giveUp();
    stopped.resolve({ by: 'loss of the supervisor' });
  });
  setInterval(() => process.connected && post({ type: 'beat' }), BEAT_MS).unref();
  // Messages from before this process listens would be lost.
  post({ type: 'hello' });
  return {
    begin: begin.promise,
    stopped: stopped.promise,
    answerFrom: (of: App['probes']) => {
      probes = of;
    },
  };
}
