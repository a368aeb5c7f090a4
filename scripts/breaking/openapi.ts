import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import type { Fields } from '../../src/base/values.js';
import { resolved } from '../codegen/openapi.js';
import { at, descriptionIn, fields, list } from './description.js';
import { brokenDirections, operationsIn } from './directions.js';

/** Changes that break clients of an OpenAPI contract: redocly's rules, and the promises that our extensions make. */

interface Change {
  readonly path: string;
  readonly property?: string;
  readonly verdicts: readonly { readonly impact: string; readonly message: string }[];
}

const root = new URL('../../', import.meta.url);
const redocly = fileURLToPath(new URL('node_modules/@redocly/cli/bin/cli.js', root));
const config = fileURLToPath(new URL('redocly-diff.yaml', import.meta.url));
const quiet = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

async function comparison(before: Fields, now: Fields): Promise<readonly Change[]> {
  const folder = await mkdtemp(join(tmpdir(), 'malote-breaking-'));
  const files = [join(folder, 'before.json'), join(folder, 'now.json')] as const;
  try {
    await Promise.all([writeFile(files[0], JSON.stringify(before)), writeFile(files[1], JSON.stringify(now))]);
    const args = [redocly, 'diff', ...files, '--config', config, '--format', 'json', '--fail-on', 'none'];
    const options = { env: { ...process.env, ...quiet }, maxBuffer: 268_435_456 };
    const { stdout, stderr } = await promisify(execFile)(process.execPath, args, options);
    if (stderr.includes('No diff rules are on')) throw new Error('redocly compared without rules');
    return JSON.parse(stdout).changes;
  } finally {
    await rm(folder, { recursive: true });
  }
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

/** True when a request may now have another form beside the one that it had. */
function addsForm(before: Fields, now: Fields, { path, verdicts }: Change): boolean {
  const [keyword, steps] = [path.split('/').at(-1) ?? '', path.split('/').slice(1, -1)];
  const isRequest = steps.includes('requestBody') || steps.includes('parameters');
  const isAdded = verdicts.some(({ message }) => message.includes('was added'));
  if (!isRequest || !isAdded || keyword !== 'anyOf') return false;
  const was = resolved(before, at(before, steps));
  const forms = list(fields(resolved(now, at(now, steps)))[keyword]);
  return forms.some((form) => isDeepStrictEqual(resolved(now, form), was));
}

/** Lines that say what breaks a client when `released/file` becomes `current/file`. */
export async function openapiBreaks(released: string, current: string, file: string): Promise<string[]> {
  const [before, now] = await Promise.all([descriptionIn(join(released, file)), descriptionIn(join(current, file))]);
  const changes = await comparison(before, now);
  const verdicts = changes
    // Redocly reports every changed pattern and form as breaking.
    .filter((change) => change.property !== 'pattern' && !addsForm(before, now, change))
    .flatMap(({ path, verdicts: all }) =>
      all.filter(({ impact }) => impact === 'major').map(({ message }) => `${message} (${path})`),
    );
  return [...new Set([...verdicts, ...brokenDirections(before, now), ...brokenPromises(before, now)])];
}
