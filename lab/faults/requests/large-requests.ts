import { gzipSync } from 'node:zlib';
import { mostMegabytes, residentMegabytes } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';
import { speak } from './sockets.js';

const MEGABYTE = 1_048_576;
const ALLOWED_MB = 150;
const AT_ONCE = 20;

const head = (lines: readonly string[]): string =>
  `${['POST /auth/login HTTP/1.1', 'Host: a', 'Content-Type: application/json', 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`;

function* repeated(first: string, part: string, count: number, last = ''): Generator<string> {
  yield first;
  for (let index = 0; index < count; index += 1) yield part;
  if (last !== '') yield last;
}

const filling = 'x'.repeat(MEGABYTE);
const bomb = gzipSync(Buffer.alloc(100 * MEGABYTE, 32));
const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
const headers = Array.from({ length: 20 }, (_, index) => `X-${index}: ${'y'.repeat(1000)}`);

/** Large requests, each with the status that answers it when it is sent alone. */
const attacks: readonly [what: string, status: number, parts: () => Iterable<string | Buffer>][] = [
  ['100 MB', 413, () => repeated(head([`Content-Length: ${100 * MEGABYTE}`]), filling, 100)],
  [
    '100 MB in chunks',
    413,
    () => repeated(head(['Transfer-Encoding: chunked']), `100000\r\n${filling}\r\n`, 100, '0\r\n\r\n'),
  ],
  ['a bomb of 100 MB', 413, () => [head(['Content-Encoding: gzip', `Content-Length: ${bomb.length}`]), bomb]],
  ['20 KB of headers', 431, () => [head(headers)]],
  ['20 KB of nested JSON', 400, () => [head([`Content-Length: ${nested.length}`]), nested]],
];

/** One network may hold two whole bodies at once, so others may be refused. */
const TOO_MUCH_AT_ONCE = 429;

export const largeRequests: Fault = {
  what: 'bodies of 100 MB, chunked, a gzip bomb, 20 KB of headers, 20 KB of nested JSON',
  promise: `413, 431 or 400 alone, 429 too at once, with at most ${ALLOWED_MB} MB more of memory`,
  run: async ({ stage }) => {
    const { url, pid } = await stage.start('api', []);
    await speak(url, [head(['Content-Length: 2']), '{}']);
    const before = await residentMegabytes(pid);
    const wrong: string[] = [];
    const all = async () => {
      for (const [what, expected, parts] of attacks) {
        const alone = await speak(url, parts());
        if (alone !== expected) wrong.push(`${what} alone is answered ${alone}`);
        const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => speak(url, parts())));
        const others = statuses.filter((status) => status !== expected && status !== TOO_MUCH_AT_ONCE);
        wrong.push(...others.map((status) => `${what} is answered ${status}`));
      }
    };
    const more = (await mostMegabytes(pid, all())) - before;
    return {
      figures: `${attacks.length * (AT_ONCE + 1)} attacks, one alone and ${AT_ONCE} at once, ${wrong.length} answered otherwise, ${more.toFixed(0)} MB more`,
      breaches: [...new Set(wrong), ...expectThat(more <= ALLOWED_MB, `it takes ${more.toFixed(0)} MB more`)],
    };
  },
};
