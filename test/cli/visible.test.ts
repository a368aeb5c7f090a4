import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { PassThrough, Readable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createPrinter } from '../../src/cli/printer.js';
import { visible, visibleJson, visibleLines } from '../../src/cli/terminal.js';
import { malote } from './malote.js';

/** Texts from data reach a terminal without control characters, or characters that make a text look different. */

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
const codes = [
  ...[...range(0x00, 0x1f), ...range(0x7f, 0x9f)],
  ...[0x061c, 0x200b, 0x200e, 0x200f, 0x2028, 0x2029, ...range(0x202a, 0x202e), 0x2060, ...range(0x2066, 0x2069)],
  ...[0xfeff, 0xe0041],
];
const hostile = codes.map((code) => `x${String.fromCodePoint(code)}y`).join('');
const acting = codes.filter((code) => code !== 0x0a).map((code) => String.fromCodePoint(code));
const actingIn = (text: string) => acting.filter((character) => text.includes(character));

describe('a text', () => {
  const named = codes.map((code) => [code.toString(16), String.fromCodePoint(code)] as const);
  test.each(named)('with U+%s is shown harmlessly', (_, each) => {
    expect(visible(`a${each}b`)).toMatch(/^a( |(\\u[\da-f]{4}){1,2})b$/);
    expect(JSON.parse(visibleJson({ name: each }, 2))).toEqual({ name: each });
    expect(actingIn(visibleJson({ [each]: each }))).toEqual([]);
  });

  test('with names in any script stays unchanged', () => {
    const names = 'João D’Ávila, 李小龍, עברית, العربية, हिन्दी, می\u200cخواهم, 👩\u200d👧, co\u00adop';
    expect(visible(names)).toBe(names);
    expect(visibleLines(`a\n\u202eb`)).toBe('a\n\\u202eb');
  });
});

const server = createServer((request, response) => {
  const send = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  };
  const path = request.url?.split('?', 1)[0] ?? '';
  const user = { id: hostile, email: hostile, name: hostile, role: hostile, [hostile]: hostile };
  const pagination = { page: 1, page_size: 20, total_pages: 1, total_items: 1 };
  if (path === '/operator/v1/sign-in') send(200, { access_token: 'token', token_type: 'Bearer', expires_in: 3600 });
  else if (path.endsWith('/users')) send(200, { data: [user], pagination });
  else if (path.includes('/users/')) send(200, user);
  else if (path === '/operator/v1/movements')
    send(200, { results: [{ id: hostile, result: 'refused', code: hostile, field: hostile, message: hostile }] });
  else
    send(400, {
      error: { code: 'VALIDATION_ERROR', message: hostile, details: [{ field: hostile, message: hostile }] },
    });
});
await once(server.listen(0, '127.0.0.1'), 'listening');
afterAll(() => void server.close());
const { port } = Object(server.address());
const shell = malote({ MALOTE_URL: `http://127.0.0.1:${port}`, MALOTE_EMAIL: 'a@b.test', MALOTE_PASSWORD: 'c' });

const ID = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';

describe('a command prints no dangerous character', () => {
  test.each([
    ['a table', ['users', 'list']],
    ['a record', ['users', 'show', ID]],
    ['results', ['movements', 'record', '--file', '-', '--format', 'ndjson']],
    ['an error', ['rates', 'list']],
    ['a wrong command', ['packages', hostile]],
    ['a wrong option', ['users', 'list', `--${hostile}`]],
    ['a wrong value', ['users', 'list', '--page', hostile]],
  ])('in %s', async (_what, args) => {
    const movement = { id: ID, loggi_key: ID, status_code: 3, happened_at: '2026-11-20T12:00:00Z' };
    for (const terminal of [undefined, {}]) {
      const { out, err } = await shell.run(args, `${JSON.stringify(movement)}\n{"a":"b"}\n`, terminal);
      const shown = stripVTControlCharacters(out + err);
      expect(shown).toContain('\\u202e');
      expect(actingIn(shown)).toEqual([]);
    }
  });

  test('in sentences, lines and progress', async () => {
    const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY: true })];
    const print = createPrinter({ stdin: Readable.from([]), stdout, stderr }, false);
    print.say(hostile);
    print.event({}, hostile);
    await print.progress(async (at) => at(1, hostile));
    const shown = [stdout, stderr].map((stream) => stripVTControlCharacters(String(stream.read())));
    expect(shown.map(actingIn)).toEqual([[], []]);
    expect(shown.join('').split('\\u202e')).toHaveLength(4);
  });

  test('in texts for agents', async () => {
    const { stdin, stdout, code } = shell.talk(['mcp']);
    const answers = createInterface({ input: stdout })[Symbol.asyncIterator]();
    const ask = async (id: number, method: string, params: object) => {
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      return JSON.parse(String((await answers.next()).value)).result;
    };
    const clientInfo = { name: 'test', version: '1' };
    await ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    const { content } = await ask(2, 'tools/call', { name: 'list_orders', arguments: {} });
    expect(content[0].text).toContain('\\u202e');
    expect(actingIn(content[0].text)).toEqual([]);
    stdin.end();
    await code;
  });

  test('in JSON, which has them escaped', async () => {
    const { out } = await shell.run(['users', 'show', ID, '--json']);
    expect(actingIn(out)).toEqual([]);
    expect(JSON.parse(out)).toMatchObject({ name: hostile });
  });
});
