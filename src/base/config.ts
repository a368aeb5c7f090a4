import { resolve } from 'node:path';
import type { ConfiguredRings } from './keys.js';
import { type LogLevel, logLevels } from './log.js';
import {
  checked,
  cidrs,
  flag,
  keyRing,
  mail,
  ports,
  refuse,
  type TrustProxy,
  text,
  trustProxy,
  url,
  whole,
  wholeOr,
  word,
} from './settings.js';

/** Every setting of the service, checked (docs/settings.md). */
export interface Config extends ConfiguredRings {
  mode: 'production' | 'development' | 'test';
  /** How many processes serve under one supervisor; 1 is this one alone. */
  processes: number | 'auto';
  /** 0 takes any free port. */
  port: number;
  internalPort: number;
  internalHost: string;
  host: string;
  /** Without a trailing slash. */
  publicUrl: string;
  /** The embedded PostgreSQL when undefined. */
  databaseUrl: string | undefined;
  databasePoolSize: number;
  /** How long a request waits for a connection until it is refused. */
  databaseConnectTimeoutMs: number;
  /** Whether statements are prepared, unless a pooler turns out to lose them. */
  databasePrepared: boolean;
  /** Absolute path. */
  dataDir: string;
  operatorEmail: string;
  operatorPassword: string | undefined;
  accessTokenTtlSeconds: number;
  /** Requests per hour; 0 is no limit. */
  rateLimitAccountPerHour: number;
  rateLimitPublicPerHour: number;
  rateLimitOperatorPerHour: number;
  redisUrl: string | undefined;
  redisTimeoutMs: number;
  /** Networks that a webhook may reach although they are private. */
  webhookAllowCidrs: readonly string[];
  /** Path of a PEM file. */
  webhookExtraCa: string | undefined;
  webhookPorts: readonly number[];
  /** Requests of one process under way at once; slow ones of one account. */
  webhookConcurrency: number;
  webhookAccountConcurrency: number;
  geocoderUrl: string | undefined;
  osrmUrl: string | undefined;
  vroomUrl: string | undefined;
  trustProxy: TrustProxy;
  logLevel: LogLevel;
  /** Bytes of a request body. */
  bodyLimit: number;
  /** How long running requests may take to end once a stop is requested. */
  shutdownSeconds: number;
  /** Packages move by themselves; never in production. */
  sandbox: boolean;
  /** Mean pause between two movements of a package. */
  sandboxPaceSeconds: number;
  /** How long after its deletion the personal data of an account is erased; 0: at once. */
  eraseAfterDays: number;
  /** How long after their end orders lose their recipients; 0: never. */
  personalDataDays: number;
}

/** No token lives longer, whatever `ACCESS_TOKEN_TTL_SECONDS` was or will be. */
export const LONGEST_TOKEN_TTL_SECONDS = 86_400;

const modes = ['production', 'development', 'test'] as const;
const anyPort = whole(0, 65_535);
const http = url('http', 'https');
const perHour = whole(0, 1_000_000_000);
const optional = { default: undefined };

const specification = {
  NODE_ENV: word(modes)({ default: 'development' }),
  PROCESSES: wholeOr('auto', 1, 64)({ default: 'auto' }),
  PORT: anyPort({ default: 3000 }),
  INTERNAL_PORT: anyPort({ default: 3001 }),
  INTERNAL_HOST: text(1, 255)({ default: '127.0.0.1' }),
  HOST: text(1, 255)({ default: '0.0.0.0' }),
  PUBLIC_URL: http(optional),
  DATABASE_URL: url('postgres', 'postgresql')(optional),
  DATABASE_POOL_SIZE: whole(1, 1000)({ default: 10 }),
  DATABASE_CONNECT_TIMEOUT_MS: whole(100, 60_000)({ default: 700 }),
  DATABASE_PREPARED: flag({ default: true }),
  DATA_DIR: text(1, 1024)({ default: '.data' }),
  OPERATOR_EMAIL: mail({ default: 'operator@malote.local' }),
  OPERATOR_PASSWORD: text(8, 128)(optional),
  JWT_KEYS: keyRing(optional),
  API_KEY_SECRETS: keyRing(optional),
  ENCRYPTION_KEYS: keyRing(optional),
  ACCESS_TOKEN_TTL_SECONDS: whole(1, LONGEST_TOKEN_TTL_SECONDS)({ default: 3600 }),
  CODE_KEYS: keyRing(optional),
  RATE_LIMIT_ACCOUNT_PER_HOUR: perHour({ default: 1000 }),
  RATE_LIMIT_PUBLIC_PER_HOUR: perHour({ default: 100 }),
  RATE_LIMIT_OPERATOR_PER_HOUR: perHour({ default: 0 }),
  REDIS_URL: url('redis', 'rediss')(optional),
  REDIS_TIMEOUT_MS: whole(5, 60_000)({ default: 75 }),
  WEBHOOK_ALLOW_CIDRS: cidrs({ default: [] }),
  WEBHOOK_EXTRA_CA: text(1, 1024)(optional),
  WEBHOOK_PORTS: ports({ default: [443, 8443] }),
  WEBHOOK_CONCURRENCY: whole(8, 65_536)({ default: 1_024 }),
  WEBHOOK_ACCOUNT_CONCURRENCY: whole(1, 8_192)({ default: 64 }),
  GEOCODER_URL: http(optional),
  OSRM_URL: http(optional),
  VROOM_URL: http(optional),
  TRUST_PROXY: trustProxy({ default: false }),
  LOG_LEVEL: word(logLevels)({ default: 'info', testDefault: 'silent' }),
  BODY_LIMIT: whole(1024, 104_857_600)({ default: 1_048_576 }),
  SHUTDOWN_SECONDS: whole(0, 300)({ default: 10 }),
  SANDBOX: flag({ default: false }),
  SANDBOX_PACE_SECONDS: whole(0, 86_400)({ default: 3 }),
  ERASE_AFTER_DAYS: whole(0, 36_500)({ default: 30 }),
  PERSONAL_DATA_DAYS: whole(0, 36_500)({ default: 0 }),
};

/** Reads and checks the settings. Throws ConfigError; touches neither files nor the process. */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const settings = checked(env, specification);
  const config: Config = {
    mode: settings.NODE_ENV,
    processes: settings.PROCESSES,
    port: settings.PORT,
    internalPort: settings.INTERNAL_PORT,
    internalHost: settings.INTERNAL_HOST,
    host: settings.HOST,
    publicUrl: settings.PUBLIC_URL ?? `http://localhost:${settings.PORT}`,
    databaseUrl: settings.DATABASE_URL,
    databasePoolSize: settings.DATABASE_POOL_SIZE,
    databaseConnectTimeoutMs: settings.DATABASE_CONNECT_TIMEOUT_MS,
    databasePrepared: settings.DATABASE_PREPARED,
    dataDir: resolve(settings.DATA_DIR),
    operatorEmail: settings.OPERATOR_EMAIL,
    operatorPassword: settings.OPERATOR_PASSWORD,
    jwtKeys: settings.JWT_KEYS,
    apiKeySecrets: settings.API_KEY_SECRETS,
    encryptionKeys: settings.ENCRYPTION_KEYS,
    codeKeys: settings.CODE_KEYS,
    accessTokenTtlSeconds: settings.ACCESS_TOKEN_TTL_SECONDS,
    rateLimitAccountPerHour: settings.RATE_LIMIT_ACCOUNT_PER_HOUR,
    rateLimitPublicPerHour: settings.RATE_LIMIT_PUBLIC_PER_HOUR,
    rateLimitOperatorPerHour: settings.RATE_LIMIT_OPERATOR_PER_HOUR,
    redisUrl: settings.REDIS_URL,
    redisTimeoutMs: settings.REDIS_TIMEOUT_MS,
    webhookAllowCidrs: settings.WEBHOOK_ALLOW_CIDRS,
    webhookExtraCa: settings.WEBHOOK_EXTRA_CA,
    webhookPorts: settings.WEBHOOK_PORTS,
    webhookConcurrency: settings.WEBHOOK_CONCURRENCY,
    webhookAccountConcurrency: settings.WEBHOOK_ACCOUNT_CONCURRENCY,
    geocoderUrl: settings.GEOCODER_URL,
    osrmUrl: settings.OSRM_URL,
    vroomUrl: settings.VROOM_URL,
    trustProxy: settings.TRUST_PROXY,
    logLevel: settings.LOG_LEVEL,
    bodyLimit: settings.BODY_LIMIT,
    shutdownSeconds: settings.SHUTDOWN_SECONDS,
    sandbox: settings.SANDBOX,
    sandboxPaceSeconds: settings.SANDBOX_PACE_SECONDS,
    eraseAfterDays: settings.ERASE_AFTER_DAYS,
    personalDataDays: settings.PERSONAL_DATA_DAYS,
  };
  refuse(contradictions(config));
  return config;
}

function contradictions(config: Config): string[] {
  const rings = {
    JWT_KEYS: config.jwtKeys,
    API_KEY_SECRETS: config.apiKeySecrets,
    ENCRYPTION_KEYS: config.encryptionKeys,
    CODE_KEYS: config.codeKeys,
  };
  const missing = Object.entries(rings).filter(([, ring]) => config.mode === 'production' && !ring);
  const shared = config.port !== 0 && config.port === config.internalPort;
  return [
    ...missing.map(([name]) => `${name} must be given in production`),
    ...(shared ? ['INTERNAL_PORT must differ from PORT'] : []),
    ...(config.sandbox && config.mode === 'production' ? ['SANDBOX must not be on in production'] : []),
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
