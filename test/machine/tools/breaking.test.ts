import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { Contract } from '../../../scripts/breaking/compare.js';
import { webhookBreaks } from '../../../scripts/breaking/directions.js';
import { closeExceptions, judge } from '../../../scripts/breaking/exceptions.js';
import { graphqlBreaks } from '../../../scripts/breaking/graphql.js';
import { openapiBreaks } from '../../../scripts/breaking/openapi.js';
import { fields, fileText, sdl, sources } from '../../contract/contract-files.js';
import { ownFolder } from '../../support/folder.js';

const parent = await ownFolder();

/** A change of a contract's text: `from`, at its first place after `in` where that is given, becomes `to`. */
interface Edit {
  what: string;
  in?: string;
  from: string;
  to: string;
  /** For a breaking edit: a part of the reported line. */
  found: string;
}

function editsOf(name: string): { breaking: Edit[]; compatible: Edit[] } {
  return parse(fileText(`test/machine/tools/edits/${name}.yaml`));
}

function edited(text: string, { in: place = '', from, to }: Edit): string {
  const start = text.indexOf(from, text.indexOf(place));
  if (!text.includes(place) || start < 0) throw new Error(`no longer in the contract: ${place} ${from}`);
  return text.slice(0, start) + to + text.slice(start + from.length);
}

function contracts(file = '', edits: readonly Edit[] = []): string {
  const folder = mkdtempSync(join(parent, 'contracts-'));
  cpSync('contracts', folder, { recursive: true, filter: (path) => !/contracts\/(released|examples)/.test(path) });
  if (edits.length > 0)
    writeFileSync(join(folder, file), edits.reduce(edited, readFileSync(join(folder, file), 'utf8')));
  return folder;
}

type Run = { code: number; out: string };

function run(script: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile('node_modules/.bin/tsx', [`scripts/${script}.ts`, ...args], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), out: stdout + stderr });
    });
  });
}

describe.each(['openapi.yaml', 'operator.openapi.yaml'])('%s', (file) => {
  const { breaking, compatible } = editsOf(file.replace('.yaml', ''));

  // Together, because redocly takes a second for each comparison.
  test(`${breaking.length} edits are breaking: ${breaking.map(({ what }) => what).join(', ')}`, async () => {
    const lines = await openapiBreaks('contracts', contracts(file, breaking), file);
    const missed = breaking.filter(({ found }) => !lines.some((line) => line.includes(found)));
    expect(missed.map(({ what }) => what)).toEqual([]);
  });

  test(`${compatible.length} are not: ${compatible.map(({ what }) => what).join(', ')}`, async () => {
    expect(await openapiBreaks('contracts', contracts(file, compatible), file)).toEqual([]);
  });
});

describe('schemas in parts', () => {
  const file = 'openapi.yaml';
  const inParts = parse(fileText(`contracts/${file}`));
  const schemas = inParts.components.schemas;

  /** Writes the contracts with one schema in place of the parts of `PackageRecord`, without some properties. */
  function written(...without: string[]): string {
    const parts = [schemas.OrderPackage, schemas.PackageRecord.allOf[1]];
    const properties = Object.assign({}, ...parts.map((part) => part.properties));
    for (const name of without) delete properties[name];
    const required = parts.flatMap((part) => part.required).filter((name) => !without.includes(name));
    const PackageRecord = { title: 'PackageRecord', type: 'object', required, properties };
    const folder = contracts();
    const components = { ...inParts.components, schemas: { ...schemas, PackageRecord } };
    writeFileSync(join(folder, file), JSON.stringify({ ...inParts, components }));
    return folder;
  }

  test('may be merged into one, and the other way round', async () => {
    const whole = written();
    expect(
      await Promise.all([openapiBreaks('contracts', whole, file), openapiBreaks(whole, 'contracts', file)]),
    ).toEqual([[], []]);
  });

  test('may not lose a part', async () => {
    const lines = (await openapiBreaks('contracts', written('order_id', 'address'), file)).join('\n');
    for (const name of ['order_id', 'address'])
      expect(lines).toContain(`Property \`${name}\` of \`PackageRecord\` was removed`);
  });
});

describe('schema.graphql', () => {
  const { breaking, compatible } = editsOf('schema.graphql');

  test.each(breaking)('$what is breaking', (edit) => {
    expect(graphqlBreaks(sdl, edited(sdl, edit)).join('\n')).toContain(edit.found);
  });

  test.each(compatible)('$what is not breaking', (edit) => {
    expect(graphqlBreaks(sdl, edited(sdl, edit))).toEqual([]);
  });
});

describe('tracking-webhook.schema.json', () => {
  const { breaking, compatible } = editsOf('tracking-webhook.schema');
  const text = fileText('contracts/tracking-webhook.schema.json');
  const breaksOf = (edit: Edit): string[] => webhookBreaks(JSON.parse(text), JSON.parse(edited(text, edit)));

  test.each(breaking)('$what is breaking', (edit) => {
    expect(breaksOf(edit)).toContainEqual(expect.stringContaining(edit.found));
  });

  test.each(compatible)('$what is not breaking', (edit) => {
    expect(breaksOf(edit)).toEqual([]);
  });

  test('items of any kind are breaking', () => {
    const texts = { type: 'array', items: { type: 'string' } };
    expect(webhookBreaks(texts, { type: 'array' })).toEqual(['body[] can have another type']);
  });

  test('values beyond the listed ones are breaking, fewer are not', () => {
    const of = (values: unknown) => ({ type: 'object', properties: { kind: { type: 'string', enum: values } } });
    const said = 'body.kind can have other values than the listed ones';
    expect(webhookBreaks(of(['a', 'b']), of(['a', 'b', 'c']))).toEqual([said]);
    expect(webhookBreaks(of(['a', 'b']), of(undefined))).toHaveLength(1);
    expect(webhookBreaks(of(['a', 'b']), of(['a']))).toEqual([]);
  });

  test('a form more is breaking, the same ones as types are not', () => {
    const object = { type: 'object', required: ['a'], properties: { a: { type: 'string' } } };
    const forms = { oneOf: [object, { type: 'null' }] };
    expect(webhookBreaks(forms, { ...object, type: ['object', 'null'] })).toEqual([]);
    for (const other of [{ ...object, type: ['object', 'boolean'] }, { oneOf: [object, { type: 'boolean' }] }, {}])
      expect(webhookBreaks(forms, other)).toEqual(['body can have another form']);
  });
});

describe('listed exceptions', () => {
  const breaks = new Map<Contract, string[]>([
    ['openapi.yaml', ['`sku` was removed. (#/a)', '`name` was removed. (#/b)']],
    ['schema.graphql', ['Query.me was removed.']],
  ]);

  /** Writes released contracts with these exceptions beside them. */
  function released(exceptions: readonly object[], against = versionHere): string {
    const folder = contracts();
    writeFileSync(join(folder, 'exceptions.yaml'), JSON.stringify({ against, exceptions }));
    return folder;
  }
  const versionHere = String(fields(sources['openapi.yaml']['info'])['version']);
  const reason = 'Nobody could have used it.';

  test('excuse only the lines that they match, in their contracts', () => {
    const exceptions = [{ contracts: ['openapi.yaml'], change: 'was removed\\. \\(#/a\\)', reason }];
    const left = ['openapi.yaml: `name` was removed. (#/b)', 'schema.graphql: Query.me was removed.'];
    expect(judge(breaks, released(exceptions))).toEqual({ breaks: left, excused: 1, idle: [] });
    expect(judge(breaks, contracts()).breaks).toHaveLength(3);
  });

  test('must each excuse a line in each contract that they name', () => {
    const exceptions = [{ contracts: ['openapi.yaml', 'schema.graphql'], change: 'sku', reason }];
    const said = 'schema.graphql: the exception sku excuses nothing: take it out';
    expect(judge(breaks, released(exceptions)).idle).toEqual([said]);
  });

  test.each([
    ['another release than the one that is out', [], '0.9.0', 'is against 0.9.0'],
    ['no reason', [{ contracts: ['openapi.yaml'], change: 'sku' }], versionHere, 'gives no reason'],
    ['no change', [{ contracts: ['openapi.yaml'], change: '', reason }], versionHere, 'names no change'],
    ['no such contract', [{ contracts: ['other.yaml'], change: 'sku', reason }], versionHere, 'must be some of'],
  ])('are refused with %s', (_what, exceptions, against, message) => {
    expect(() => judge(breaks, released(exceptions, against))).toThrow(message);
  });

  test('end with the release', () => {
    const folder = released([{ contracts: ['schema.graphql'], change: 'me', reason }]);
    closeExceptions(folder);
    expect(judge(new Map(), folder)).toEqual({ breaks: [], excused: 0, idle: [] });
    expect(readFileSync(join(folder, 'exceptions.yaml'), 'utf8')).toContain(`against: ${versionHere}`);
    expect(readFileSync(join(folder, `exceptions-${versionHere}.yaml`), 'utf8')).toContain(reason);
  });
});

test('a release stores the contracts and journeys, and breaking changes fail from then on', async () => {
  const released = mkdtempSync(join(parent, 'released-'));
  mkdirSync(join(released, 'journeys'));
  writeFileSync(join(released, 'journeys/given-up.yaml'), '');
  const [empty, release] = await Promise.all([
    run('check-breaking', tmpdir(), 'contracts'),
    run('release', released, 'contracts'),
  ]);
  expect([empty.code, empty.out]).toEqual([1, expect.stringContaining('npm run release')]);
  expect(release).toEqual({ code: 0, out: expect.stringContaining('Released the contracts as ') });
  expect(readFileSync(join(released, 'exceptions.yaml'), 'utf8')).toContain('exceptions: []');
  expect(readdirSync(join(released, 'journeys'))).toEqual(readdirSync('contracts/journeys'));
  const broken = contracts('schema.graphql', editsOf('schema.graphql').breaking.slice(0, 1));
  const [check, again] = await Promise.all([run('check-breaking', released, broken), run('release', released, broken)]);
  expect([check.code, check.out]).toEqual([1, expect.stringContaining('schema.graphql: Query.me was removed.')]);
  expect([again.code, again.out]).toEqual([1, expect.stringContaining('raise info.version')]);
});
