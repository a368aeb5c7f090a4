import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs one piece of work after the other, each when those before it have ended, however. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>;

/** Work whose turn comes when all is over is not begun: a failure ends a request while other fields of it wait. */
export function turns(isOver: () => boolean): Turns {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(() => {
      if (isOver()) throw new Error('The request has been answered.');
      return work();
    });
    last = done.catch(() => undefined);
    return done;
  };
}

/** A line for each of many keys: resolves when all who came before under the key have left, with what is to call to leave. */
export function lines(): (key: string) => Promise<() => void> {
  const lasts = new Map<string, Promise<void>>();
  return async (key) => {
    const before = lasts.get(key);
    const { promise: gone, resolve: leave } = withResolvers();
    lasts.set(key, gone);
    await before;
    return () => {
      leave();
      if (lasts.get(key) === gone) lasts.delete(key);
    };
  };
}

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Gives the entries of a list one in each turn of the event loop, so that others are served between them. */
export function paced<T>(entries: readonly T[]): Promise<T>[] {
  let turn: Promise<unknown> = Promise.resolve();
  return entries.map((entry) => {
    turn = turn.then(() => nextTurn());
    return turn.then(() => entry);
  });
}
