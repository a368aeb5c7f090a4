import { resolve } from 'node:path';
import { secretFileNames, withSecretFiles } from './secrets/secret-files.js';
import * as setting from './settings.js';
import { fiscalRules } from './tax.js';
import { logLevels } from './telemetry/log.js';

/** The longest life of a token, whatever `ACCESS_TOKEN_TTL_SECONDS` was or will be. */
export const MAX_TOKEN_TTL_SECONDS = 86_400;

const modes = ['production', 'development', 'test'] as const;
const anyPort = setting.whole(0, 65_535);
const http = setting.url('http', 'https');
const perHour = setting.whole(0, 1_000_000_000);
const optional = { default: undefined };

/** All settings; docs/settings.md explains them. */
const specification = {
  NODE_ENV: setting.word(modes)({ default: 'development' }),
  /** 0 takes any free port. */
  PORT: anyPort({ default: 3000 }),
  INTERNAL_PORT: anyPort({ default: 3001 }),
  INTERNAL_HOST: setting.text(1, 255)({ default: '127.0.0.1' }),
  /** The address to listen on. */
  HOST: setting.text(1, 255)(optional),
  /** Without a trailing slash. */
  PUBLIC_URL: http(optional),
  /** Without it the service runs the embedded PostgreSQL. The URL may name several hosts. */
  DATABASE_URL: setting.databaseUrl(optional),
  /** A streaming standby of that database, for lists. */
  DATABASE_REPLICA_URL: setting.url('postgres', 'postgresql')(optional),
  DATABASE_STANDBYS: setting.whole(0, 100)({ default: 0 }),
  CELL: setting.noCell({ default: 0 }),
  WAIT_FOR_DATABASE_SECONDS: setting.whole(0, 86_400)({ default: 60 }),
  /** Lets one machine keep generated keys beside a database that is not the embedded one. */
  SINGLE_MACHINE: setting.flag({ default: false }),
  DATABASE_POOL_SIZE: setting.whole(1, 1000)({ default: 10 }),
  DATABASE_CONNECT_TIMEOUT_MS: setting.whole(100, 60_000)({ default: 700 }),
  DATABASE_PREPARED: setting.flag({ default: true }),
  MIGRATE: setting.flag({ default: true }),
  DATA_DIR: setting.text(1, 1024)({ default: '.data' }),
  OPERATOR_EMAIL: setting.mail({ default: 'operator@malote.local' }),
  OPERATOR_PASSWORD: setting.text(8, 128)(optional),
  JWT_KEYS: setting.keyRing(optional),
  API_KEY_SECRETS: setting.keyRing(optional),
  ENCRYPTION_KEYS: setting.keyRing(optional),
  ACCESS_TOKEN_TTL_SECONDS: setting.whole(1, MAX_TOKEN_TTL_SECONDS)({ default: 3600 }),
  CODE_KEYS: setting.keyRing(optional),
  REQUIRE_SECOND_FACTOR: setting.flag({ default: false }),
  /** Requests per hour. 0 means no limit. */
  RATE_LIMIT_ACCOUNT_PER_HOUR: perHour({ default: 1000 }),
  RATE_LIMIT_PUBLIC_PER_HOUR: perHour({ default: 100 }),
  RATE_LIMIT_OPERATOR_PER_HOUR: perHour({ default: 0 }),
  ACCOUNT_CONCURRENCY: setting.whole(1, 1_024)({ default: 3 }),
  REDIS_URL: setting.url('redis', 'rediss')(optional),
  REDIS_TIMEOUT_MS: setting.whole(5, 60_000)({ default: 75 }),
  WEBHOOK_ALLOW_CIDRS: setting.cidrs({ default: [] }),
  WEBHOOK_EXTRA_CA: setting.text(1, 1024)(optional),
  WEBHOOK_PORTS: setting.ports({ default: [443, 8443] }),
  WEBHOOK_CONCURRENCY: setting.whole(8, 65_536)({ default: 1_024 }),
  WEBHOOK_ACCOUNT_CONCURRENCY: setting.whole(1, 8_192)({ default: 64 }),
  GEOCODER_URL: http(optional),
  OSRM_URL: http(optional),
  VROOM_URL: http(optional),
  /** Address of map tiles. Without it pages load no map. */
  MAP_TILES_URL: setting.tiles(optional),
  TRUST_PROXY: setting.trustProxy({ default: false }),
  OTEL_EXPORTER_OTLP_ENDPOINT: http(optional),
  OTEL_SERVICE_NAME: setting.text(1, 255)({ default: 'malote' }),
  LOG_LEVEL: setting.word(logLevels)({ default: 'info', testDefault: 'silent' }),
  /** Most bytes of a request body. */
  BODY_LIMIT: setting.whole(1024, 104_857_600)({ default: 1_048_576 }),
  BODIES_LIMIT: setting.whole(8_192, 1_099_511_627_776)({ default: 67_108_864 }),
  SHUTDOWN_DELAY_SECONDS: setting.whole(0, 300)({ default: 0 }),
  SHUTDOWN_SECONDS: setting.whole(0, 300)({ default: 10 }),
  FISCAL_DOCUMENT: setting.word(fiscalRules)({ default: 'optional' }),
  /** Lets packages move without a courier. Not for production. */
  SANDBOX: setting.flag({ default: false }),
  SANDBOX_PACE_SECONDS: setting.whole(0, 86_400)({ default: 3 }),
  ERASE_AFTER_DAYS: setting.whole(0, 36_500)({ default: 30 }),
  PERSONAL_DATA_DAYS: setting.whole(0, 36_500)({ default: 0 }),
  RETENTION_ATTEMPTS_DAYS: setting.whole(0, 36_500)({ default: 30 }),
  RETENTION_DELIVERIES_DAYS: setting.whole(0, 36_500)({ default: 30 }),
  RETENTION_DEAD_LETTERS_DAYS: setting.whole(0, 36_500)({ default: 0 }),
  RETENTION_ORDERS_DAYS: setting.whole(0, 36_500)({ default: 0 }),
  LOST_AFTER_DAYS: setting.whole(0, 36_500)({ default: 90 }),
};

export const settingNames = [...Object.keys(specification), ...secretFileNames];

export type Config = ReturnType<typeof loadConfig>;

/** Reads and checks the settings. Throws ConfigError. Reads no files, and does not change the process. */
export function loadConfig(env: NodeJS.ProcessEnv) {
  const settings = setting.checked(env, specification);
  const { NODE_ENV, DATABASE_URL, PUBLIC_URL } = settings;
  // An embedded database and a generated password are suitable only for one machine.
  const isForOthers = NODE_ENV === 'production' || DATABASE_URL !== undefined;
  const config = setting.inCamelCase({
    ...settings,
    DATA_DIR: resolve(settings.DATA_DIR),
    HOST: settings.HOST ?? (isForOthers ? '0.0.0.0' : '127.0.0.1'),
    PUBLIC_URL: PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    /** The server in the published contracts. Without PUBLIC_URL it is the server that publishes them. */
    CONTRACT_SERVER: PUBLIC_URL ?? '/',
  });
  setting.refuse(contradictions(config, settings.PUBLIC_URL));
  return config;
}

/** Reads only the settings that locate the database. Throws ConfigError. */
export function loadDatabaseSettings(env: NodeJS.ProcessEnv): Pick<Config, 'databaseUrl' | 'dataDir'> {
  const { DATABASE_URL, DATA_DIR } = specification;
  const settings = setting.checked(env, { DATABASE_URL, DATA_DIR });
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

/**
 * Names missing settings that processes must share. A process with keys of its own could not open data that another one
 * sealed.
 */
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

/**
 * The process's environment. It includes the `.env` file of the working directory, if there is one, and the secrets
 * that are given as files. Throws ConfigError.
 */
export function readEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
  }
  return withSecretFiles(process.env);
}
