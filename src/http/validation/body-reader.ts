import express, { type Request, type RequestHandler } from 'express';
import { invalid, malformed, ServiceError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import type { SentBytes } from '../handler.js';
import { JSON_TYPE, type Operation } from '../operation.js';
import { settle } from '../series.js';
import type { BodyBounds } from './bounds.js';
import { readJson } from './read-json.js';

// Where no contract says how many values a body may hold.
const defaultBounds: BodyBounds = { maxValues: 100_000, trim: (value) => ({ value, fieldErrors: [] }) };

const tooLarge = (limit: number): ServiceError =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
const wrongType = (message: string): ServiceError => new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
const missing = (): ServiceError => invalid([{ field: 'body', message: 'is required' }]);

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** What bytes without a type are taken for (RFC 9110, 8.3); some generated clients send them so. */
const UNTYPED = 'application/octet-stream';

/**
 * Only what the contract declares passes, and JSON in UTF-8 only; the header is then reduced to the media type, as the
 * validator keeps one compiled schema per spelling.
 */
function settleType(req: Request, declared: readonly string[]): string {
  const [spelled = '', ...parameters] = (req.headers['content-type'] ?? UNTYPED).toLowerCase().split(';');
  const type = declared.find((each) => each === spelled.trim());
  if (type === undefined) throw wrongType(`The body must be sent as ${declared.join(' or ')}.`);
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (type === JSON_TYPE && charset && !/^charset="?utf-8"?$/.test(charset))
    throw wrongType('The body must be encoded as UTF-8.');
  req.headers['content-type'] = type;
  return type;
}

/** What body-parser reports, in our words: its own message could quote the body. */
function readingError(error: unknown, limit: number): unknown {
  if (!isFields(error)) return error;
  if (error['type'] === 'entity.too.large') return tooLarge(limit);
  if (error['status'] === 415) return wrongType('The body has an encoding that is not supported.');
  return error['status'] === 400 ? malformed('The body could not be read.') : error;
}

/** Refuses a field name that no contract allows and that later code could take for a prototype. */
function demandPlainNames(body: unknown): void {
  const open = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__'))
      throw invalid([{ field: '__proto__', message: 'is not a field of this object' }]);
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
}

/** Of a body that holds too many values only the start is read, to name the fields that hold them. */
function parse(bytes: Buffer, { maxValues, trim }: BodyBounds): unknown {
  const { value, isWhole } = readJson(bytes, maxValues);
  demandPlainNames(value);
  if (isWhole) return value;
  throw invalid([{ field: 'body', message: `must hold at most ${maxValues} values` }, ...trim(value).fieldErrors]);
}

/**
 * Reads the body of one operation into `req.body`, at most `limit` bytes after decompression: JSON as its value, anything else
 * as `SentBytes`. Throws `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `MALFORMED_REQUEST`, or `VALIDATION_ERROR` on the field
 * `body` and on those that make JSON hold more values than `bounds` allow.
 */
export function bodyReader(
  { body: { presence, types } }: Pick<Operation, 'body'>,
  limit: number,
  bounds: BodyBounds = defaultBounds,
): RequestHandler {
  const read = express.raw({ limit, type: () => true });
  return async (req, res, next) => {
    const isSent = hasBody(req);
    if (!isSent && presence === 'required') throw missing();
    if (isSent && presence === 'none')
      throw invalid([{ field: 'body', message: 'must be absent: this operation takes no body' }]);
    if (!isSent) {
      delete req.headers['content-type'];
      return next();
    }
    const type = settleType(req, types);
    const bytes = isPlain(req, limit)
      ? await bytesOf(req)
      : await settle(read, req, res).then(
          (): unknown => req.body,
          (error: unknown) => {
            throw readingError(error, limit);
          },
        );
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw missing();
    req.body = type === JSON_TYPE ? parse(bytes, bounds) : ({ type, bytes } satisfies SentBytes);
    next();
  };
}

/** Whether the body is as long as it says and not compressed, which takes none of what body-parser does. */
const isPlain = ({ headers }: Request, limit: number): boolean =>
  headers['content-encoding'] === undefined && Number(headers['content-length'] ?? Number.NaN) <= limit;

/** Throws `MALFORMED_REQUEST` when the client goes away before the end. */
function bytesOf(req: Request): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)));
    req.once('error', () => reject(malformed('The body could not be read.')));
  });
}
