import type { App } from '../app/index.js';
import { isFields } from '../base/values.js';
import type { Count, CounterStep } from '../http/limits/supervisor-store.js';

// Messages between a supervisor and its processes. Both are of one build, so a message that has one of these types has
// its shape.

export interface Beginning {
  processes: number;
  internalUrl: string;
  databaseUrl: string | undefined;
}

export type Started = Pick<App, 'url' | 'firstOperator'>;

/** Questions to a process: the obstacles to its readiness; its metrics. */
export type Question = 'ready' | 'metrics';

export type FromSupervisor =
  | ({ type: 'begin' } & Beginning)
  | { type: 'ask'; id: number; question: Question }
  | { type: 'counts'; id: number; counts: Count[] }
  | { type: 'stop' };

export type FromProcess =
  /** It listens to messages from now on. */
  | { type: 'hello' }
  | ({ type: 'started' } & Started)
  | { type: 'failed'; message: string }
  /** Its event loop turns. */
  | { type: 'beat' }
  | { type: 'answer'; id: number; answer: unknown }
  | { type: 'count'; id: number; steps: readonly CounterStep[] };

// Others use the channel too: Node's own modules, and tools that are loaded before the service.
const hasType = (message: unknown, ...types: string[]): boolean =>
  isFields(message) && types.includes(String(message['type']));

export const isFromSupervisor = (message: unknown): message is FromSupervisor =>
  hasType(message, 'begin', 'ask', 'counts', 'stop');
export const isFromProcess = (message: unknown): message is FromProcess =>
  hasType(message, 'hello', 'started', 'failed', 'beat', 'answer', 'count');

/** Questions that wait for their answers, each under a number. */
export function openQuestions<T>() {
  const waiting = new Map<number, (answer: T | undefined) => void>();
  let last = 0;
  const answer = (id: number, value: T | undefined): void => {
    waiting.get(id)?.(value);
    waiting.delete(id);
  };
  return {
    /** Resolves to what `answer` is called with, or to undefined when the questions are given up. */
    open: (post: (id: number) => void) =>
      new Promise<T | undefined>((resolve) => {
        const id = ++last;
        waiting.set(id, resolve);
        post(id);
      }),
    answer,
    giveUp: (): void => {
      for (const id of [...waiting.keys()]) answer(id, undefined);
    },
  };
}
