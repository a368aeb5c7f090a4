import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../src/base/config.js';
import { ConfigError } from '../../src/base/settings.js';

const secret = Buffer.alloc(32, 7).toString('base64');

describe('settings', () => {
  test('all have defaults that work', () => {
    expect(loadConfig({})).toMatchObject({
      nodeEnv: 'development',
      port: 3000,
      internalPort: 3001,
      publicUrl: 'http://localhost:3000',
      databaseUrl: undefined,
      accessTokenTtlSeconds: 3600,
      rateLimitAccountPerHour: 1000,
      rateLimitPublicPerHour: 100,
      rateLimitOperatorPerHour: 0,
      webhookAllowCidrs: [],
      webhookPorts: [443, 8443],
      webhookConcurrency: 1024,
      webhookAccountConcurrency: 64,
      trustProxy: false,
      logLevel: 'info',
      sandbox: false,
      sandboxPaceSeconds: 3,
    });
  });

  test('use the default when a value is empty', () => {
    expect(loadConfig({ PORT: '', REDIS_URL: '', TRUST_PROXY: '' })).toEqual(loadConfig({}));
  });

  test.each([
    [{ PORT: '0' }, { port: 0 }],
    [{}, { host: '127.0.0.1' }],
    [{ CELL: '0' }, { cell: 0 }],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0' }],
    [{ PORT: '8080' }, { publicUrl: 'http://localhost:8080' }],
    [{ PUBLIC_URL: 'https://api.example.com/' }, { publicUrl: 'https://api.example.com' }],
    [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
    [{ TRUST_PROXY: '0' }, { trustProxy: false }],
    [{ TRUST_PROXY: 'false' }, { trustProxy: false }],
    [{ TRUST_PROXY: 'loopback, 10.0.0.0/8' }, { trustProxy: ['loopback', '10.0.0.0/8'] }],
    [
      { WEBHOOK_ALLOW_CIDRS: '127.0.0.1, 10.1.0.0/16,::1' },
      { webhookAllowCidrs: ['127.0.0.1/32', '10.1.0.0/16', '::1/128'] },
    ],
    [{ WEBHOOK_PORTS: '443, 9443' }, { webhookPorts: [443, 9443] }],
    [
      { WEBHOOK_CONCURRENCY: '8', WEBHOOK_ACCOUNT_CONCURRENCY: '1' },
      { webhookConcurrency: 8, webhookAccountConcurrency: 1 },
    ],
    ...[
      'postgresql://u:p@h:5433/d?sslmode=require',
      'postgres://u:p@a:5432,b:5433/d?target_session_attrs=read-write',
      'postgres://a,b/d',
    ].map((url): [NodeJS.ProcessEnv, object] => [
      { DATABASE_URL: url, SINGLE_MACHINE: '1' },
      { databaseUrl: url, host: '0.0.0.0' },
    ]),
    [{ NODE_ENV: 'test' }, { nodeEnv: 'test', logLevel: 'silent' }],
    [{ NODE_ENV: 'test', LOG_LEVEL: 'debug' }, { logLevel: 'debug' }],
    [{ OPERATOR_PASSWORD: '12345678' }, { operatorPassword: '12345678' }],
    [
      { SANDBOX: '1', SANDBOX_PACE_SECONDS: '60' },
      { sandbox: true, sandboxPaceSeconds: 60 },
    ],
  ])('are read from %j as %j', (env, expected) => {
    expect(loadConfig(env)).toMatchObject(expected);
  });

  test('with a key ring keep the order of the keys, and take both spellings of base64', () => {
    const bytes = Buffer.alloc(33, 0xfb);
    const text = `new:${bytes.toString('base64url')}, old:${bytes.toString('base64')}`;
    const ring = loadConfig({ JWT_KEYS: text }).jwtKeys;
    expect(ring?.map(({ id }) => id)).toEqual(['new', 'old']);
    expect(ring?.map((key) => key.secret.equals(bytes))).toEqual([true, true]);
  });
});

describe('a bad value stops the start with one line that names it', () => {
  const refusals: [name: string, value: string, reason: RegExp][] = [
    ['NODE_ENV', 'staging', /must be one of production, development, test/],
    ['CELL', '7', /^CELL must be 0 or unset/],
    ['CELL', 'x', /^CELL must be 0 or unset/],
    ['PORT', '65536', /whole number from 0 to 65535/],
    ['PORT', '80a', /whole number/],
    ['PORT', '-1', /whole number/],
    ['INTERNAL_PORT', '3000', /must differ from PORT/],
    ['PUBLIC_URL', 'ftp://example.com', /begins with http:\/\/ or https:\/\//],
    ['PUBLIC_URL', 'example.com', /must be a URL/],
    ['DATABASE_URL', 'mysql://u:hidden-word@h/d', /begins with postgres:\/\//],
    ['DATABASE_URL', 'postgres://u:hidden-word@a:5432,b:x/d', /one host or several/],
    [
      'DATABASE_URL',
      'postgres://a,b/d?target_session_attrs=standby',
      /read-write, primary, any as target_session_attrs/,
    ],
    ['DATABASE_POOL_SIZE', '0', /from 1 to 1000/],
    ['OPERATOR_EMAIL', 'operator', /e-mail/],
    ['OPERATOR_PASSWORD', 'hidden', /8 to 128 characters/],
    ['OPERATOR_PASSWORD', '🔒🔒🔒🔒🔒🔒🔒', /8 to 128 characters/],
    ['JWT_KEYS', Buffer.alloc(32).toString('base64'), /key 1: is not id:base64/],
    ['JWT_KEYS', `a:${secret},b:hidden-word`, /key 2: its secret is not base64/],
    ['JWT_KEYS', `a:${secret}!`, /key 1: its secret is not base64/],
    ['JWT_KEYS', `a:${secret},a:${secret}`, /names two keys alike/],
    ['JWT_KEYS', `a:${secret},`, /key 2/],
    ['API_KEY_SECRETS', 'hidden-word', /key 1/],
    ['ENCRYPTION_KEYS', 'k:aGlkZGVuLXdvcmQ=', /less than 32 bytes/],
    ['CODE_KEYS', 'hidden-word', /key 1/],
    ['ACCESS_TOKEN_TTL_SECONDS', '0', /whole number/],
    ['RATE_LIMIT_ACCOUNT_PER_HOUR', 'many', /whole number/],
    ['REDIS_URL', 'http://localhost', /redis:\/\//],
    ['WEBHOOK_ALLOW_CIDRS', '10.0.0.0/33', /networks/],
    ['WEBHOOK_ALLOW_CIDRS', '10/8', /networks/],
    ['WEBHOOK_ALLOW_CIDRS', '010.0.0.0/8', /networks/],
    ['WEBHOOK_ALLOW_CIDRS', 'localhost', /networks/],
    ['WEBHOOK_PORTS', '443,0', /ports/],
    ['WEBHOOK_PORTS', ',', /ports/],
    ['GEOCODER_URL', 'nominatim', /must be a URL/],
    ['OSRM_URL', 'file:///etc/passwd', /http/],
    ['VROOM_URL', 'x', /must be a URL/],
    ['MAP_TILES_URL', 'https://tile.example.org/', /\{z\}/],
    ['MAP_TILES_URL', 'https://a;script-src/{z}/{x}/{y}', /http/],
    ['TRUST_PROXY', 'true', /false, a number of hops/],
    ['TRUST_PROXY', 'proxy.example.com', /false, a number of hops/],
    ['LOG_LEVEL', 'loud', /must be one of fatal/],
    ['BODY_LIMIT', '1', /whole number/],
    ['SHUTDOWN_SECONDS', '1.5', /whole number/],
    ['SANDBOX', 'yes', /^SANDBOX must be 1 or 0$/],
    ['SANDBOX_PACE_SECONDS', '-1', /whole number from 0 to 86400/],
  ];

  test.each(refusals)('%s=%s', (name, value, reason) => {
    const message = refusalOf({ [name]: value });
    expect(message).toMatch(reason);
    expect(message.startsWith(`${name} `)).toBe(true);
    expect(message).not.toMatch(/\n|hidden/);
  });

  test('several bad values are named together', () => {
    expect(refusalOf({ PORT: 'x', LOG_LEVEL: 'x' })).toMatch(/^PORT .*; LOG_LEVEL /);
  });

  const ring = `a:${secret}`;
  const rings = { JWT_KEYS: ring, API_KEY_SECRETS: ring, ENCRYPTION_KEYS: ring, CODE_KEYS: ring };

  test('production needs its secrets, and allows no sandbox', () => {
    expect(refusalOf({ NODE_ENV: 'production', JWT_KEYS: ring })).toBe(
      'API_KEY_SECRETS, ENCRYPTION_KEYS, CODE_KEYS must be given in production',
    );
    const production = { NODE_ENV: 'production', ...rings };
    expect(loadConfig(production)).toMatchObject({ nodeEnv: 'production', sandbox: false });
    expect(refusalOf({ ...production, SANDBOX: '1' })).toBe('SANDBOX must not be on in production');
  });

  test('a database that processes may share needs keys and a public address that all processes share', () => {
    const shared = { DATABASE_URL: 'postgres://h/d' };
    expect(refusalOf({ ...shared, CODE_KEYS: ring })).toMatch(
      /^JWT_KEYS, API_KEY_SECRETS, ENCRYPTION_KEYS, PUBLIC_URL must be given with DATABASE_URL[^;\n]*$/,
    );
    const given = { ...shared, ...rings, PUBLIC_URL: 'https://api.example.com' };
    expect(loadConfig(given).databaseUrl).toBe(shared.DATABASE_URL);
    expect(loadConfig({ ...shared, SINGLE_MACHINE: '1' }).encryptionKeys).toBeUndefined();
    const production = { ...shared, SINGLE_MACHINE: '1', NODE_ENV: 'production' };
    expect(refusalOf(production)).toMatch(/must be given in production$/);
  });
});

function refusalOf(env: NodeJS.ProcessEnv): string {
  try {
    loadConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('was accepted');
}
