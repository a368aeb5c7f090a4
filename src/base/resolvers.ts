/** A promise and what settles it: `Promise.withResolvers`, which Node 20 lacks. */
export function withResolvers<T>() {
  let resolve = (_value: T): void => undefined;
  let reject = (_reason: Error): void => undefined;
  const promise = new Promise<T>((resolvePromise, rejectPromise) => {
    resolve = resolvePromise;
    reject = rejectPromise;
  });
  return { promise, resolve, reject };
}
