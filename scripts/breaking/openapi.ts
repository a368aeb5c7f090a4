import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';

/** What would break clients of an OpenAPI contract: redocly's rules, and the promises that our extensions make. */

type Fields = Readonly<Record<string, unknown>>;

interface Change {
  readonly path: string;
  readonly verdicts: readonly { readonly impact: string; readonly message: string }[];
}

const root = new URL('../../', import.meta.url);
const redocly = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', root));
const config = fileURLToPath(new URL('redocly-diff.yaml', import.meta.url));
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});

async function comparison(released: string, current: string): Promise<readonly Change[]> {
  const options = ['--config', config, '--format', 'json', '--fail-on', 'none'];
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    [redocly, 'diff', released, current, ...options],
    {
      env: { ...process.env, ...quiet },
      maxBuffer: 268_435_456,
    },
  );
  if (stderr.includes('No diff rules are on')) throw new Error('redocly compared without rules');
  return JSON.parse(stdout).changes;
}

interface Promised {
  readonly roles: readonly string[] | undefined;
  readonly idempotent: boolean;
  readonly maxBody: number;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

function promisesOf(file: string): Map<string, Promised> {
  const paths = fields(fields(parse(readFileSync(file, 'utf8')))['paths']);
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    methods.map((method) => [`${method.toUpperCase()} ${path}`, fields(item)[method]] as const),
  );
  return new Map(
    operations.flatMap(([name, operation]) => {
      if (!isFields(operation)) return [];
      const { 'x-roles': roles, 'x-idempotent': idempotent, 'x-max-body': maxBody } = operation;
      return [
        [
          name,
          {
            roles: Array.isArray(roles) ? roles.map(String) : undefined,
            idempotent: idempotent === true,
            maxBody: typeof maxBody === 'number' ? maxBody : 1_048_576,
          },
        ],
      ];
    }),
  );
}

function broken(before: Promised, now: Promised): string[] {
  const excluded = now.roles && (before.roles ?? ['operator', 'customer']).some((role) => !now.roles?.includes(role));
  return [
    ...(excluded ? ['is allowed to fewer roles (x-roles)'] : []),
    ...(before.idempotent && !now.idempotent ? ['honours Idempotency-Key no more (x-idempotent)'] : []),
    ...(now.maxBody < before.maxBody ? ['takes smaller bodies only (x-max-body)'] : []),
  ];
}

function brokenPromises(released: string, current: string): string[] {
  const now = promisesOf(current);
  return [...promisesOf(released)].flatMap(([name, before]) => {
    const after = now.get(name);
    return after ? broken(before, after).map((what) => `${name} ${what}`) : [];
  });
}

/** Lines that say what breaks a client when `released/file` becomes `current/file`. */
export async function openapiBreaks(released: string, current: string, file: string): Promise<string[]> {
  const [before, now] = [join(released, file), join(current, file)];
  const verdicts = (await comparison(before, now)).flatMap(({ path, verdicts: all }) =>
    all.filter(({ impact }) => impact === 'major').map(({ message }) => `${message} (${path})`),
  );
  return [...new Set([...verdicts, ...brokenPromises(before, now)])];
}
