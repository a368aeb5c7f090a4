import got, { type CancelableRequest, type Response } from 'got';
import { UnusableAnswerError } from './answer.js';

/** An answer larger than this is no answer: the largest that is expected, a table of 110 stops, has about 0.4 MB. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const client = got.extend({
  timeout: { request: 1_500 },
  retry: { limit: 0 },
  followRedirect: false,
  // Its error would hold the URL, and so the address that was asked for, which the log must not.
  throwHttpErrors: false,
  headers: { accept: 'application/json', 'user-agent': 'malote-routing' },
});

async function read(request: CancelableRequest<Response<string>>): Promise<unknown> {
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > MAX_ANSWER_BYTES) request.cancel();
  });
  const { body, ok, statusCode } = await request;
  if (!ok) throw new UnusableAnswerError(`the status is ${statusCode}`);
  return JSON.parse(body);
}

/** GET, parsed. Rejects on any status but 2xx, on no answer within 1.5 s and on what is not JSON. */
export async function getJson(url: URL): Promise<unknown> {
  return read(client.get(url));
}

/** POST of a JSON body; rejects as `getJson` does. */
export async function postJson(url: URL, body: unknown): Promise<unknown> {
  return read(client.post(url, { json: body }));
}

/** A path below a service's address, whether that ends in a slash or not. */
export function below(base: string, path: string): URL {
  return new URL(`${base.replace(/\/+$/, '')}${path}`);
}
