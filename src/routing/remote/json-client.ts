import got, { type OptionsOfTextResponseBody } from 'got';
import { isFields, MEBIBYTE } from '../../base/values.js';

/** Most bytes of an answer. A table of 110 stops has about 0.4 MB. */
const MAX_ANSWER_BYTES = 4 * MEBIBYTE;

const client = got.extend({
  timeout: { request: 1_500 },
  retry: { limit: 0 },
  followRedirect: false,
  // got's error would hold the URL, and so the address of a recipient, which must not be logged.
  throwHttpErrors: false,
  headers: { accept: 'application/json', 'user-agent': 'malote-routing' },
});

export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError';
}

/** Gets or posts JSON. Rejects on a status other than 2xx, after the time limit, and if the answer is not JSON. */
export async function askJson(url: URL, options: OptionsOfTextResponseBody = {}): Promise<unknown> {
  const ending = new AbortController();
  const request = client(url, { ...options, signal: ending.signal });
  request.on('downloadProgress', ({ transferred }) => {
    if (transferred > MAX_ANSWER_BYTES) ending.abort();
  });
  const { body, ok, statusCode } = await request;
  if (!ok) throw new UnusableAnswerError(`the status is ${statusCode}`);
  return JSON.parse(body);
}

export const below = (base: string, path: string): URL => new URL(`${base.replace(/\/+$/, '')}${path}`);

export function toRecord(value: unknown, what: string): Record<string, unknown> {
  if (!isFields(value)) throw new UnusableAnswerError(`${what} is not an object`);
  return value;
}

export function toList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new UnusableAnswerError(`${what} is not a list`);
  return value;
}

/** A finite number. Nominatim writes coordinates as strings, so a numeric string counts, too. */
export function toNumber(value: unknown, what: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new UnusableAnswerError(`${what} is not a number`);
  return number;
}

/** A matrix of `rows` × `columns` numbers, none negative. A cell is null if the service has no value for it. */
export function toMatrix(value: unknown, rows: number, columns: number, what: string): (number | null)[][] {
  const matrix = toList(value, what).map((row) =>
    toList(row, what).map((cell) => {
      if (cell === null) return null;
      const number = toNumber(cell, what);
      if (number < 0) throw new UnusableAnswerError(`${what} has a negative leg`);
      return number;
    }),
  );
  if (matrix.length !== rows || matrix.some((row) => row.length !== columns))
    throw new UnusableAnswerError(`${what} is not ${rows} × ${columns}`);
  return matrix;
}
