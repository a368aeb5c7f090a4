import { types } from 'node:util';
import type { Request, RequestHandler, Response } from 'express';

/** Joins steps into one handler. Each step runs when the previous one calls `next()`. An error ends the series. */
export function series(steps: readonly RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const run = (index: number): void => {
      const step = steps[index];
      if (step === undefined) return void next();
      const advance = (error?: unknown): void => (error === undefined ? run(index + 1) : next(error));
      try {
        const ended: unknown = step(req, res, advance);
        if (types.isPromise(ended)) ended.catch(next);
      } catch (error) {
        next(error);
      }
    };
    run(0);
  };
}

/** Runs one step as a promise: resolves on `next()`, rejects on `next(error)`, a throw or a rejection. */
export function runStep(step: RequestHandler, req: Request, res: Response): Promise<void> {
  return new Promise((resolve, reject) => {
    series([step])(req, res, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
  });
}
