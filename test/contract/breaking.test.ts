import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import type { Contract } from '../../scripts/breaking/compare.js';
import { closeExceptions, judge } from '../../scripts/breaking/exceptions.js';
import { graphqlBreaks } from '../../scripts/breaking/graphql.js';
import { openapiBreaks } from '../../scripts/breaking/openapi.js';
import { webhookBreaks } from '../../scripts/breaking/webhook.js';
import { fields, fileText, sdl, sources } from './contract-files.js';

const folders: string[] = [];

/** A copy of the contracts, with texts replaced in one of them. */
function contracts(file = '', edits: readonly (readonly [from: string, to: string])[] = []): string {
  const folder = mkdtempSync(join(tmpdir(), 'malote-contracts-'));
  folders.push(folder);
  cpSync('contracts', folder, { recursive: true, filter: (path) => !/contracts\/(released|examples)/.test(path) });
  for (const [from, to] of edits) {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, file), text.replace(from, to));
  }
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

interface Run {
  code: number;
  out: string;
}

function run(script: string, ...args: string[]): Promise<Run> {
  return new Promise((resolve) => {
    execFile('node_modules/.bin/tsx', [`scripts/${script}.ts`, ...args], (error, stdout, stderr) => {
      resolve({ code: Number(error?.code ?? 0), out: stdout + stderr });
    });
  });
}

describe('openapi.yaml and operator.openapi.yaml', () => {
  type Edit = readonly [from: string, to: string, found: string];
  const ofA: readonly Edit[] = [
    [
      'required: [email, password, name, phone]',
      'required: [email, password, name, phone, role]',
      'became required: `role`',
    ],
    [
      'required: [access_token, token_type, expires_in]',
      'required: [access_token, token_type]',
      'no longer required: `expires_in`',
    ],
    [
      'operationId: listProducts',
      'operationId: listProducts\n      x-roles: [operator]',
      'GET /api/v1/products is allowed to fewer roles',
    ],
  ];
  const ofD: readonly Edit[] = [
    ['/operator/v1/rate-cards/current:', '/operator/v1/rate-cards/newest:', '/operator/v1/rate-cards/current'],
    ['x-max-body: 8388608', 'x-max-body: 1048576', 'POST /operator/v1/movements takes smaller bodies only'],
  ];

  test.each([
    ['openapi.yaml', ofA],
    ['operator.openapi.yaml', ofD],
  ])(
    '%s: a required field, a missing one, fewer roles, an operation that is gone, a smaller body are breaking',
    async (file, edits) => {
      const current = contracts(
        file,
        edits.map(([from, to]) => [from, to] as const),
      );
      const lines = (await openapiBreaks('contracts', current, file)).join('\n');
      for (const [, , found] of edits) expect(lines).toContain(found);
    },
  );

  test('a new optional field, a new operation and other words are not', async () => {
    const edits = [
      ['title: UserCreate\n', 'title: UserCreate\n      description: Other words.\n'],
      ['        password: { $ref: ', '        nickname: { type: string, maxLength: 20 }\n        password: { $ref: '],
    ] as const;
    expect(await openapiBreaks('contracts', contracts('openapi.yaml', edits), 'openapi.yaml')).toEqual([]);
  });
});

describe('schema.graphql', () => {
  const changed = (from: string, to: string): string => {
    expect(sdl).toContain(from);
    return sdl.replace(from, to);
  };

  test.each([
    ['a field that is gone', '  me: Account!', '  myself: Account!'],
    ['a required argument', 'after: String @text(max: 200)', 'after: String! @text(max: 200)'],
    ['a shorter text', 'loggiKey: String! @text(max: 64)', 'loggiKey: String! @text(max: 60)'],
    ['a smaller list', '@size(min: 1, max: 10)', '@size(min: 1, max: 9)'],
    ['a field that can be null', '): OrderConnection!', '): OrderConnection'],
  ])('%s is breaking', (_what, from, to) => {
    expect(graphqlBreaks(sdl, changed(from, to))).toHaveLength(1);
  });

  test('a new field, a new optional argument and a wider range are not', () => {
    expect(graphqlBreaks(sdl, changed('  me: Account!', '  me: Account!\n  motto: String'))).toEqual([]);
    expect(
      graphqlBreaks(
        sdl,
        changed('after: String @text(max: 200)', 'after: String @text(max: 300)\n before: String @text'),
      ),
    ).toEqual([]);
  });
});

describe('tracking-webhook.schema.json', () => {
  const text = fileText('contracts/tracking-webhook.schema.json');
  const changed = (from: string, to: string): string[] => {
    expect(text).toContain(from);
    return webhookBreaks(JSON.parse(text), JSON.parse(text.replace(from, to)));
  };

  test.each([
    [
      'a field that is not always there',
      '"required": ["loggiKey", "trackingCode", ',
      '"required": ["loggiKey", ',
      'body.packages[].trackingCode is not always there any more',
    ],
    ['a field that is gone', '"promisedDate": {', '"expectedDate": {', 'body.packages[].promisedDate is gone'],
    ['another type', '"type": "integer"', '"type": "string"', 'body.packages[].status.code can have another type'],
    [
      'a type more',
      '"type": "integer"',
      '"type": ["integer", "null"]',
      'body.packages[].status.code can have another type',
    ],
    [
      'a longer text',
      '"minLength": 1, "maxLength": 64',
      '"minLength": 1, "maxLength": 65',
      'body.packages[].loggiKey does not keep its maxLength',
    ],
    ['another format', '"^[0-9]{18}$"', '"^[0-9]{19}$"', 'body.packages[].barcode does not keep its pattern'],
    [
      'another form',
      '{ "type": "null" }',
      '{ "type": "string" }',
      'body.packages[].status.actionRequired can have another form',
    ],
    ['more packages', '"maxItems": 50', '"maxItems": 100', 'body.packages does not keep its maxItems'],
  ])('%s is breaking', (_what, from, to, line) => {
    expect(changed(from, to)).toContain(line);
  });

  test('values beyond the listed ones are breaking, fewer are not', () => {
    const of = (values: unknown) => ({ type: 'object', properties: { kind: { type: 'string', enum: values } } });
    expect(webhookBreaks(of(['a', 'b']), of(['a', 'b', 'c']))).toEqual([
      'body.kind can have other values than the listed ones',
    ]);
    expect(webhookBreaks(of(['a', 'b']), of(undefined))).toHaveLength(1);
    expect(webhookBreaks(of(['a', 'b']), of(['a']))).toEqual([]);
  });

  test('a new field, an optional field that is always sent and a narrower bound are not', () => {
    expect(changed('"promisedDate": {', '"weight": { "type": "number" },\n "promisedDate": {')).toEqual([]);
    expect(changed('"maxItems": 50', '"maxItems": 40')).toEqual([]);
    expect(changed('"actionRequired", "updatedTime"]', '"actionRequired", "updatedTime", "pickupAgency"]')).toEqual([]);
  });
});

describe('listed exceptions', () => {
  const breaks = new Map<Contract, string[]>([
    ['openapi.yaml', ['`sku` was removed. (#/a)', '`name` was removed. (#/b)']],
    ['schema.graphql', ['Query.me was removed.']],
  ]);

  /** Released contracts with these exceptions beside them. */
  function released(exceptions: readonly object[], against = versionHere): string {
    const folder = contracts();
    writeFileSync(join(folder, 'exceptions.yaml'), JSON.stringify({ against, exceptions }));
    return folder;
  }
  const versionHere = String(fields(sources['openapi.yaml']['info'])['version']);
  const reason = 'Nobody could have used it.';

  test('excuse the lines that they match, of their contracts only', () => {
    const exceptions = [{ contracts: ['openapi.yaml'], change: 'was removed\\. \\(#/a\\)', reason }];
    const left = ['openapi.yaml: `name` was removed. (#/b)', 'schema.graphql: Query.me was removed.'];
    expect(judge(breaks, released(exceptions))).toEqual({ breaks: left, excused: 1, idle: [] });
    expect(judge(breaks, contracts()).breaks).toHaveLength(3);
  });

  test('must each excuse something, in each contract that they name', () => {
    const exceptions = [{ contracts: ['openapi.yaml', 'schema.graphql'], change: 'sku', reason }];
    expect(judge(breaks, released(exceptions)).idle).toEqual([
      'schema.graphql: the exception sku excuses nothing: take it out',
    ]);
  });

  test.each([
    ['another release than the one that is out', [], '0.9.0', 'is against 0.9.0'],
    ['no reason', [{ contracts: ['openapi.yaml'], change: 'sku' }], versionHere, 'gives no reason'],
    ['no change', [{ contracts: ['openapi.yaml'], change: '', reason }], versionHere, 'names no change'],
    [
      'no such contract',
      [{ contracts: ['other.yaml'], change: 'sku', reason }],
      versionHere,
      'contracts must be some of',
    ],
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

describe('the commands', () => {
  test('release keeps the contracts, and from then on breaking them fails', async () => {
    const released = mkdtempSync(join(tmpdir(), 'malote-released-'));
    folders.push(released);
    const [empty, release] = await Promise.all([
      run('check-breaking', tmpdir(), 'contracts'),
      run('release', released, 'contracts'),
    ]);
    expect([empty.code, empty.out]).toEqual([1, expect.stringContaining('npm run release')]);
    expect(release).toEqual({ code: 0, out: expect.stringContaining('Released the contracts as ') });
    expect(readFileSync(join(released, 'exceptions.yaml'), 'utf8')).toContain('exceptions: []');
    const broken = contracts('schema.graphql', [['  me: Account!', '  myself: Account!']]);
    const [check, again] = await Promise.all([
      run('check-breaking', released, broken),
      run('release', released, broken),
    ]);
    expect([check.code, check.out]).toEqual([1, expect.stringContaining('schema.graphql: Query.me was removed.')]);
    expect([again.code, again.out]).toEqual([1, expect.stringContaining('raise info.version')]);
  });
});
