import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { brokenDirections, type Description, operationsIn } from './directions.js';

/** What would break clients of an OpenAPI contract: redocly's rules, and the promises that our extensions make. */

interface Change {
  readonly path: string;
  readonly property?: string;
  readonly verdicts: readonly { readonly impact: string; readonly message: string }[];
}

const root = new URL('../../', import.meta.url);
const redocly = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', root));
const config = fileURLToPath(new URL('redocly-diff.yaml', import.meta.url));
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

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

function promisesOf(document: unknown): Map<string, Promised> {
  return new Map(
    [...operationsIn(document)].map(([name, operation]) => {
      const { 'x-roles': roles, 'x-idempotent': idempotent, 'x-max-body': maxBody } = operation;
      const promised = {
        roles: Array.isArray(roles) ? roles.map(String) : undefined,
        idempotent: idempotent === true,
        maxBody: typeof maxBody === 'number' ? maxBody : 1_048_576,
      };
      return [name, promised];
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

function brokenPromises(released: unknown, current: unknown): string[] {
  const now = promisesOf(current);
  return [...promisesOf(released)].flatMap(([name, before]) => {
    const after = now.get(name);
    return after ? broken(before, after).map((what) => `${name} ${what}`) : [];
  });
}

/** The description and `openapi.yaml`, which others refer to. */
function descriptionIn(folder: string, file: string): Description {
  const read = (name: string): unknown => parse(readFileSync(join(folder, name), 'utf8'));
  return { file, documents: { 'openapi.yaml': read('openapi.yaml'), [file]: read(file) } };
}

/** Lines that say what breaks a client when `released/file` becomes `current/file`. */
export async function openapiBreaks(released: string, current: string, file: string): Promise<string[]> {
  const changes = await comparison(join(released, file), join(current, file));
  const verdicts = changes
    // For redocly every other pattern breaks.
    .filter(({ property }) => property !== 'pattern')
    .flatMap(({ path, verdicts: all }) =>
      all.filter(({ impact }) => impact === 'major').map(({ message }) => `${message} (${path})`),
    );
  const [before, now] = [descriptionIn(released, file), descriptionIn(current, file)];
  return [
    ...new Set([
      ...verdicts,
      ...brokenDirections(before, now),
      ...brokenPromises(before.documents[file], now.documents[file]),
    ]),
  ];
}
