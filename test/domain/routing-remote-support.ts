import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeEach } from '@jest/globals';

/** Answers a request. `body` is its posted text. */
export type Behaviour = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export const answering =
  (answer: unknown): Behaviour =>
  (_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  };

/** Behaviours of a service in trouble. */
export const troubles: Record<string, Behaviour> = {
  'never answers': () => undefined,
  'answers 500': (_, response) => response.writeHead(500).end('{}'),
  'answers no JSON': (_, response) => response.end('<html>504 Gateway Time-out</html>'),
  'answers JSON of another shape': answering({ hello: [1, null] }),
  'answers null': answering(null),
  'hangs up': (request) => request.socket.destroy(),
  redirects: (_, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
  'answers without end': (_, response) => {
    const chunk = 'x'.repeat(256 * 1024);
    const more = (): void => {
      while (response.write(chunk));
      response.once('drain', more);
    };
    more();
  },
};

/** Starts a local HTTP server that stands for a remote service. */
export async function startRemote() {
  let behaviour: Behaviour = answering({});
  const requested: string[] = [];
  const server = createServer((request, response) => {
    requested.push(request.url ?? '');
    void text(request).then((body) => behaviour(request, response, body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  beforeEach(() => {
    requested.length = 0;
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
  const behave = (next: Behaviour): void => {
    behaviour = next;
  };
  /** `requested` has paths with their queries, in the order of the requests. */
  return { url: `http://127.0.0.1:${address.port}`, requested, behave };
}

/** A log that records its lines. */
export function recordingLog() {
  const lines: { fields: object; message: string }[] = [];
  return { lines, log: { warn: (fields: object, message: string) => void lines.push({ fields, message }) } };
}
