import { type Mutant, one } from './mutant.js';

const HTTP_CLIENT = 'src/webhook/http-client.ts';

/** Mutants for faults of the client that sends webhooks. */
export const clientMutants: readonly Mutant[] = [
  one(
    'other-answers',
    'redirects are followed',
    HTTP_CLIENT,
    'response = incoming;',
    `response = incoming;
      const { location } = incoming.headers;
      if (location !== undefined) {
        const { authorization = '' } = request.getHeaders();
        const options = { method: 'POST', headers: { authorization }, rejectUnauthorized: false };
        httpsRequest(location, options).on('error', () => undefined).end();
      }`,
  ),
  one(
    'hostile-receivers',
    'attempts have no deadline',
    HTTP_CLIENT,
    'startedAt + deadlineMs - performance.now()',
    'startedAt + 4 * deadlineMs - performance.now()',
  ),
  one(
    'hostile-receivers',
    'answers are read without end',
    HTTP_CLIENT,
    'if (length >= READ_BYTES) cut();',
    'if (length < 0) cut();',
  ),
  one(
    'lost-connections',
    'a request whose idle connection was closed is not sent again',
    HTTP_CLIENT,
    'first.isStale ? attemptBy(connectingAgent) : first',
    'first.isStale && startedAt < 0 ? attemptBy(connectingAgent) : first',
  ),
  one(
    'lost-connections',
    'a request is sent again after a part of its answer',
    HTTP_CLIENT,
    ' && socket?.bytesRead === bytesBefore',
    ' && bytesBefore >= 0',
  ),
  one(
    'lost-connections',
    'a request is sent again whichever connection ended',
    HTTP_CLIENT,
    'const isStale = reused && ',
    'const isStale = ',
  ),
  one(
    'lost-connections',
    'a stop cuts off nothing',
    HTTP_CLIENT,
    "addEventListener('abort'",
    "addEventListener('none'",
  ),
  one(
    'untrusted-receivers',
    'no certificate is checked',
    HTTP_CLIENT,
    'rejectUnauthorized: true',
    'rejectUnauthorized: false',
  ),
  one(
    'untrusted-receivers',
    'TLS 1.1 is spoken',
    HTTP_CLIENT,
    "minVersion: 'TLSv1.2'",
    "minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0'",
  ),
];
