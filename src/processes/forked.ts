import cluster, { type Worker } from 'node:cluster';
import { setTimeout as sleep } from 'node:timers/promises';
import { withResolvers } from '../base/resolvers.js';
import type { createCounters } from '../http/limits/supervisor-store.js';
import {
  type Beginning,
  type FromProcess,
  type FromSupervisor,
  isFromProcess,
  openQuestions,
  type Question,
  type Started,
} from './messages.js';
import { createSilence } from './silence.js';

/** A process of a supervisor, from the supervisor's side. */
export type Forked = ReturnType<typeof fork>;

/** Tells a process that it is one of several. */
export const MARK = 'MALOTE_SUPERVISED';

const PATIENCE_MS = 1_000;

/** Starts a process; it counts with `count`. */
export function fork(beginning: Beginning, count: ReturnType<typeof createCounters>) {
  const worker = cluster.fork({ [MARK]: '1' });
  const questions = openQuestions<unknown>();
  const started = withResolvers<Started>();
  const post = (message: FromSupervisor): void => void worker.send(message, () => undefined);
  let stopping = false;
  const silence = createSilence(performance.now());
  const hear = (message: FromProcess): void => {
    silence.heard();
    // Messages from before it listened are lost.
    if (message.type === 'hello') post(stopping ? { type: 'stop' } : { type: 'begin', ...beginning });
    else if (message.type === 'count') post({ type: 'counts', id: message.id, counts: count(message.steps) });
    else if (message.type === 'answer') questions.answer(message.id, message.answer);
    else if (message.type === 'started') {
      silence.started();
      started.resolve(message);
    } else if (message.type === 'failed') started.reject(new Error(message.message));
  };
  worker.on('message', (message: unknown) => void (isFromProcess(message) && hear(message)));
  closeLostConnection(worker);
  const ended = endOf(worker);
  void ended.then(({ code, signal }) => {
    questions.giveUp();
    started.reject(new Error(`a process ended before it had started (${signal ?? code})`));
  });
  return {
    pid: worker.process.pid ?? 0,
    /** Throws an Error of one line when it ends before it has started. */
    started: started.promise,
    ended,
    /** True when it has been silent for too long; to be asked every LOOK_MS. */
    hangs: (): boolean => silence.hangs(performance.now()),
    /** Undefined when it does not answer within a second. */
    ask: (question: Question): Promise<unknown> =>
      Promise.race([
        questions.open((id) => post({ type: 'ask', id, question })),
        sleep(PATIENCE_MS, undefined, { ref: false }),
      ]),
    /** It answers what runs, finishes its sending, and ends. */
    stop: (): void => {
      stopping = true;
      post({ type: 'stop' });
    },
    kill: (): void => void worker.process.kill('SIGKILL'),
  };
}

function endOf(worker: Worker): Promise<{ code: number | null; signal: string | null }> {
  return new Promise((resolve) => {
    worker.once('exit', (code, signal) => resolve({ code, signal }));
    // One that could not be made does not exit. Other errors, as of a channel that closes, show in the exit.
    worker.on('error', () => worker.process.pid ?? resolve({ code: null, signal: null }));
  });
}

/**
 * Node hands a process one connection after the other, and forgets the one that it has not accepted when it dies: its
 * client would wait for ever. Closing it makes the client try again; an accepted one is closed here already.
 */
function closeLostConnection({ process: child }: Worker): void {
  let last: unknown;
  child.send = new Proxy(child.send, {
    apply: (send, self, args: unknown[]) => {
      if (typeof args[1] === 'object' && args[1] !== null) last = args[1];
      return Reflect.apply(send, self, args);
    },
  });
  const close = () => {
    const closeHandle: unknown = typeof last === 'object' && last !== null ? Reflect.get(last, 'close') : undefined;
    if (typeof closeHandle === 'function') closeHandle.call(last);
  };
  // Between the two events, whichever comes first, another connection may still be handed over.
  child.once('exit', close);
  child.once('disconnect', close);
}
