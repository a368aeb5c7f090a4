import { resolve } from 'node:path';
import { logLevels } from './log.js';
import {
  checked,
  cidrs,
  databaseUrl,
  flag,
  inCamelCase,
  keyRing,
  mail,
  ports,
  refuse,
  text,
  trustProxy,
  url,
  whole,
  wholeOr,
  word,
} from './settings.js';

/** No token lives longer, whatever `ACCESS_TOKEN_TTL_SECONDS` was or will be. */
export const LONGEST_TOKEN_TTL_SECONDS = 86_400;

const modes = ['production', 'development', 'test'] as const;
const anyPort = whole(0, 65_535);
const http = url('http', 'https');
const perHour = whole(0, 1_000_000_000);
const optional = { default: undefined };

const specification = {
  NODE_ENV: word(modes)({ default: 'development' }),
  /** How many processes serve under one supervisor; 1 is this one alone. */
  PROCESSES: wholeOr('auto', 1, 64)({ default: 'auto' }),
  /** 0 takes any free port. */
  PORT: anyPort({ default: 3000 }),
  INTERNAL_PORT: anyPort({ default: 3001 }),
  INTERNAL_HOST: text(1, 255)({ default: '127.0.0.1' }),
  HOST: text(1, 255)({ default: '0.0.0.0' }),
  /** Without a trailing slash. */
  PUBLIC_URL: http(optional),
  /** The embedded PostgreSQL when undefined; may name several hosts. */
  DATABASE_URL: databaseUrl(optional),
  /** A streaming standby of that database, for lists. */
  DATABASE_REPLICA_URL: url('postgres', 'postgresql')(optional),
  /** Streaming standbys that the database should have; one that is missing is told. */
  DATABASE_STANDBYS: whole(0, 100)({ default: 0 }),
  /** Which of several databases this one is, among which accounts are divided. */
  CELL: whole(0, 255)({ default: 0 }),
  /** How long a start waits for a database that answers and takes writes. */
  WAIT_FOR_DATABASE_SECONDS: whole(0, 86_400)({ default: 60 }),
  /** One machine may keep generated keys for a database of its own. */
  SINGLE_MACHINE: flag({ default: false }),
  DATABASE_POOL_SIZE: whole(1, 1000)({ default: 10 }),
  /** How long a request waits for a connection until it is refused. */
  DATABASE_CONNECT_TIMEOUT_MS: whole(100, 60_000)({ default: 700 }),
  /** Whether statements are prepared, unless a pooler turns out to lose them. */
  DATABASE_PREPARED: flag({ default: true }),
  /** Whether a process applies the migrations that the database lacks, rather than wait for them. */
  MIGRATE: flag({ default: true }),
  /** Absolute path. */
  DATA_DIR: text(1, 1024)({ default: '.data' }),
  OPERATOR_EMAIL: mail({ default: 'operator@malote.local' }),
  OPERATOR_PASSWORD: text(8, 128)(optional),
  JWT_KEYS: keyRing(optional),
  API_KEY_SECRETS: keyRing(optional),
  ENCRYPTION_KEYS: keyRing(optional),
  ACCESS_TOKEN_TTL_SECONDS: whole(1, LONGEST_TOKEN_TTL_SECONDS)({ default: 3600 }),
  CODE_KEYS: keyRing(optional),
  /** Operators without a second factor set one up before anything else at the console. */
  REQUIRE_SECOND_FACTOR: flag({ default: false }),
  /** Requests per hour; 0 is no limit. */
  RATE_LIMIT_ACCOUNT_PER_HOUR: perHour({ default: 1000 }),
  RATE_LIMIT_PUBLIC_PER_HOUR: perHour({ default: 100 }),
  RATE_LIMIT_OPERATOR_PER_HOUR: perHour({ default: 0 }),
  /** Requests of one account that a process works on at once; more of them wait. */
  ACCOUNT_CONCURRENCY: whole(1, 1_024)({ default: 3 }),
  REDIS_URL: url('redis', 'rediss')(optional),
  REDIS_TIMEOUT_MS: whole(5, 60_000)({ default: 75 }),
  /** Networks that a webhook may reach although they are private. */
  WEBHOOK_ALLOW_CIDRS: cidrs({ default: [] }),
  /** Path of a PEM file. */
  WEBHOOK_EXTRA_CA: text(1, 1024)(optional),
  WEBHOOK_PORTS: ports({ default: [443, 8443] }),
  /** Requests of one process under way at once; slow ones of one account. */
  WEBHOOK_CONCURRENCY: whole(8, 65_536)({ default: 1_024 }),
  WEBHOOK_ACCOUNT_CONCURRENCY: whole(1, 8_192)({ default: 64 }),
  GEOCODER_URL: http(optional),
  OSRM_URL: http(optional),
  VROOM_URL: http(optional),
  TRUST_PROXY: trustProxy({ default: false }),
  /** Base URL of an OTLP receiver; nothing is traced without one. */
  OTEL_EXPORTER_OTLP_ENDPOINT: http(optional),
  /** What traces and log lines call the service. */
  OTEL_SERVICE_NAME: text(1, 255)({ default: 'malote' }),
  LOG_LEVEL: word(logLevels)({ default: 'info', testDefault: 'silent' }),
  /** Bytes of a request body. */
  BODY_LIMIT: whole(1024, 104_857_600)({ default: 1_048_576 }),
  /** Bytes of bodies that a process holds while they come in, over all connections. */
  BODIES_LIMIT: whole(8_192, 1_099_511_627_776)({ default: 67_108_864 }),
  /** From "not ready" to the closing of the listener, in which a load balancer stops sending requests here. */
  SHUTDOWN_DELAY_SECONDS: whole(0, 300)({ default: 0 }),
  /** How long running requests may take to end after that. */
  SHUTDOWN_SECONDS: whole(0, 300)({ default: 10 }),
  /** Packages move by themselves; never in production. */
  SANDBOX: flag({ default: false }),
  /** Mean pause between two movements of a package. */
  SANDBOX_PACE_SECONDS: whole(0, 86_400)({ default: 3 }),
  /** How long after its deletion the personal data of an account is erased; 0: at once. */
  ERASE_AFTER_DAYS: whole(0, 36_500)({ default: 30 }),
  /** How long after their end orders lose their recipients; 0: never. */
  PERSONAL_DATA_DAYS: whole(0, 36_500)({ default: 0 }),
  /** How long attempts, acknowledged deliveries and dead letters are kept; 0: for ever. */
  RETENTION_ATTEMPTS_DAYS: whole(0, 36_500)({ default: 30 }),
  RETENTION_DELIVERIES_DAYS: whole(0, 36_500)({ default: 30 }),
  RETENTION_DEAD_LETTERS_DAYS: whole(0, 36_500)({ default: 0 }),
  /** How long orders are kept with all that belongs to them; 0: for ever. */
  RETENTION_ORDERS_DAYS: whole(0, 36_500)({ default: 0 }),
};

export const settingNames = Object.keys(specification);

/** Every setting of the service, checked (docs/settings.md), under its name in camelCase. */
export type Config = ReturnType<typeof loadConfig>;

/** Reads and checks the settings. Throws ConfigError; touches neither files nor the process. */
export function loadConfig(env: NodeJS.ProcessEnv) {
  const settings = checked(env, specification);
  const config = inCamelCase({
    ...settings,
    DATA_DIR: resolve(settings.DATA_DIR),
    PUBLIC_URL: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
  });
  refuse(contradictions(config, settings.PUBLIC_URL));
  return config;
}

/** Where the database is: for work on it that needs no other setting, keys included. Throws ConfigError. */
export function loadDatabaseSettings(env: NodeJS.ProcessEnv): Pick<Config, 'databaseUrl' | 'dataDir'> {
  const { DATABASE_URL, DATA_DIR } = specification;
  const settings = checked(env, { DATABASE_URL, DATA_DIR });
  return { databaseUrl: settings.DATABASE_URL, dataDir: resolve(settings.DATA_DIR) };
}

function contradictions(config: Config, publicUrl: string | undefined): string[] {
  const shared = config.port !== 0 && config.port === config.internalPort;
  return [
    ...missingKeys(config, publicUrl),
    ...(shared ? ['INTERNAL_PORT must differ from PORT'] : []),
    ...(config.bodiesLimit < 8 * config.bodyLimit
      ? ['BODIES_LIMIT must be at least 8 times BODY_LIMIT, as one account has an eighth of it']
      : []),
    ...(config.sandbox && config.nodeEnv === 'production' ? ['SANDBOX must not be on in production'] : []),
  ];
}

/** Keys that each machine made for itself would not open what another sealed, and tokens with another issuer are refused. */
function missingKeys(config: Config, publicUrl: string | undefined): string[] {
  const inProduction = config.nodeEnv === 'production';
  const shared = config.databaseUrl !== undefined && !config.singleMachine;
  const rings = {
    JWT_KEYS: config.jwtKeys,
    API_KEY_SECRETS: config.apiKeySecrets,
    ENCRYPTION_KEYS: config.encryptionKeys,
    CODE_KEYS: config.codeKeys,
  };
  const needed = { ...(inProduction || shared ? rings : {}), ...(shared ? { PUBLIC_URL: publicUrl } : {}) };
  const missing = Object.entries(needed).flatMap(([name, value]) => (value === undefined ? [name] : []));
  if (missing.length === 0) return [];
  if (!shared) return [`${missing.join(', ')} must be given in production`];
  return [
    `${missing.join(', ')} must be given with DATABASE_URL, the same to every process (SINGLE_MACHINE=1: one machine alone, to try it out)`,
  ];
}

/** The process's environment, after the `.env` file of the working directory if there is one. */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return process.env;
}
