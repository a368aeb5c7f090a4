import { Registry } from 'prom-client';
import type { PasswordCost } from '../accounts/passwords.js';
import { type Clock, systemClock } from '../base/clock.js';
import type { Config } from '../base/config.js';
import { keyRingsOf } from '../base/secrets/keys.js';
import { createLog, type Logger } from '../base/telemetry/log.js';
import { createReadiness } from '../base/telemetry/readiness.js';
import type { Tracer } from '../base/telemetry/tracing.js';
import type { RouterOptions } from '../http/contract-router.js';
import { secretFields } from '../rest/secret-fields.js';
import type { Planning } from '../routing/planning.js';
import { serviceMetrics } from './metrics.js';

/** Values that a process or a test sets, instead of the configuration. */
export interface Overrides {
  /** Runs interfaces A, B and D. On by default. */
  api?: boolean;
  /** Runs the worker of interface C. On by default. */
  worker?: boolean;
  log?: Logger;
  clock?: Clock;
  planning?: Planning;
  answerCheck?: RouterOptions['answerCheck'];
  /** The cost of hashing. Only tests make it cheaper. */
  passwordCost?: PasswordCost;
}

/** The running parts of a service. They are stopped in the reverse order of their start. */
interface RunningParts {
  add(stop: () => Promise<unknown>): void;
  stop(): Promise<void>;
}

function runningParts(log: Logger): RunningParts {
  const stops: (() => Promise<unknown>)[] = [];
  return {
    add: (stop) => void stops.push(stop),
    stop: async () => {
      for (const stop of stops.splice(0).reverse())
        await stop().catch((err) => log.error({ err }, 'service.part_not_stopped'));
    },
  };
}

export type Context = Awaited<ReturnType<typeof createContext>>;

export async function createContext(config: Config, overrides: Overrides) {
  const redact = secretFields.flatMap((field) => [field, `*.${field}`]);
  const { logLevel: level, otelServiceName: service } = config;
  const { clock = systemClock, log = createLog({ level, redact, service }) } = overrides;
  const registry = new Registry();
  const running = runningParts(log);
  return {
    config,
    overrides,
    log,
    clock,
    registry,
    metrics: serviceMetrics(registry),
    readiness: createReadiness(log, registry),
    /** Each part adds a function that stops it. */
    running,
    keys: await keyRingsOf(config),
    tracer: await startTracing(config, running),
  };
}

/** Starts the export of traces. Without an endpoint it returns undefined, and no OpenTelemetry code is loaded. */
async function startTracing(config: Config, running: RunningParts): Promise<Tracer | undefined> {
  const { otelExporterOtlpEndpoint: endpoint, otelServiceName: serviceName } = config;
  if (endpoint === undefined) return undefined;
  const { createOtlpTracer } = await import('./otlp-tracer.js');
  const { tracer, stop } = createOtlpTracer({ endpoint, serviceName });
  running.add(stop);
  return tracer;
}
