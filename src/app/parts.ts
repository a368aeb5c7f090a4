import { createIdentity } from '../accounts/identity.js';
import { ensureFirstOperator, type FirstOperatorResult } from '../accounts/operators.js';
import { usePasswordCost } from '../accounts/passwords.js';
import { createWorkerFromConfig } from '../webhook/index.js';
import type { Context } from './context.js';
import type { Database } from './database.js';
import { watchSlowness } from './slowness.js';

/** The parts that the interfaces need. */
export type Parts = Awaited<ReturnType<typeof startParts>>;

export async function startParts(context: Context, database: Database) {
  const accounts = await startAccounts(context, database);
  const worker = await startWorker(context, database);
  return { ...context, ...database, ...accounts, worker };
}

/** Makes sure that an operator exists, and starts to learn which tokens have ended. */
async function startAccounts(context: Context, { db, pollDb, wait }: Database) {
  const { config, log, clock, keys, metrics, overrides, running } = context;
  usePasswordCost(overrides.passwordCost);
  const { operatorEmail: email, operatorPassword: password, accessTokenTtlSeconds: tokenTtlSeconds } = config;
  // A worker creates no operator, because nobody looks for the password in its output.
  const firstOperator: FirstOperatorResult =
    overrides.api === false
      ? { created: false, passwordRefused: false }
      : await wait(() => ensureFirstOperator(db, { email, password }));
  const { onLoginRefused } = metrics;
  const tokens = { tokenKeys: keys.jwtKeys, tokenTtlSeconds, issuer: config.publicUrl };
  const { apiKeySecrets, encryptionKeys } = keys;
  const identity = createIdentity({ db, pollDb, log, clock, apiKeySecrets, encryptionKeys, ...tokens, onLoginRefused });
  await wait(identity.start);
  running.add(identity.stop);
  return { identity, firstOperator };
}

/** Creates the worker of interface C. It sends nothing before its `start`. */
async function startWorker(context: Context, { db, probeDb, clockWatch }: Database) {
  const { config, log, keys, metrics, overrides, readiness, registry, running, tracer } = context;
  const { encryptionKeys } = keys;
  const { api = true, worker: sends = true } = overrides;
  let troubles = (): string[] => [];
  const parts = `${api ? 'api' : ''} ${sends ? 'worker' : ''}`.trim();
  const slowness = watchSlowness(probeDb, parts, () => troubles().length > 0);
  readiness.add(slowness.check);
  running.add(slowness.stop);
  const mayWork = () => clockWatch.isRight() && !slowness.isOut();
  const watchers = { registry, runSweep: metrics.runSweep, tracer, mayWork };
  const worker = await createWorkerFromConfig(config, { db, log, encryptionKeys, ...watchers });
  troubles = worker.troubles;
  running.add(worker.stop);
  // With an API, the process is ready even if webhooks cannot be sent.
  if (overrides.api === false) {
    readiness.add(async () => {
      const text = worker.troubles().join('; ');
      return text === '' ? undefined : { reason: 'sending', text: `webhooks cannot be sent: ${text}` };
    });
  }
  return worker;
}
