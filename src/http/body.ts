import express, { type Request, type RequestHandler } from 'express';
import { invalid, malformed, ServiceError } from '../base/errors.js';
import { isFields } from '../base/values.js';
import type { BodyBounds } from './bounds.js';
import { readJson } from './json-text.js';
import type { Operation } from './operation.js';
import { settle } from './series.js';

// Where no contract says how many values a body may hold.
const otherwise: BodyBounds = { maxValues: 100_000, trim: (value) => ({ value, faults: [] }) };

const tooLarge = (limit: number): ServiceError =>
  new ServiceError('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
const wrongType = (message: string): ServiceError => new ServiceError('UNSUPPORTED_MEDIA_TYPE', message);
const missing = (): ServiceError => invalid([{ field: 'body', message: 'is required' }]);

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/**
 * Only `application/json` in UTF-8 passes; the header is then reduced to that, as the validator keeps one compiled
 * schema per spelling.
 */
function settleType(req: Request): void {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== 'application/json') throw wrongType('The body must be sent as application/json.');
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (charset && !/^charset="?utf-8"?$/.test(charset)) throw wrongType('The body must be encoded as UTF-8.');
  req.headers['content-type'] = 'application/json';
}

/** What body-parser reports, as a fault; its own message could quote the body. */
function faultOf(error: unknown, limit: number): unknown {
  if (!isFields(error)) return error;
  if (error['type'] === 'entity.too.large') return tooLarge(limit);
  if (error['status'] === 415) return wrongType('The body has an encoding that is not supported.');
  return error['status'] === 400 ? malformed('The body could not be read.') : error;
}

/** Refuses a name that no contract can allow and that code downstream could take for a prototype. */
function inspect(body: unknown): void {
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
  inspect(value);
  if (isWhole) return value;
  throw invalid([{ field: 'body', message: `must hold at most ${maxValues} values` }, ...trim(value).faults]);
}

/**
 * Reads the JSON body of one operation into `req.body`, at most `limit` bytes after decompression. Throws
 * `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `MALFORMED_REQUEST`, or `VALIDATION_ERROR` on the field `body` and on
 * those that make it hold more values than `bounds` allow.
 */
export function bodyReader(
  { body: { presence } }: Pick<Operation, 'body'>,
  limit: number,
  bounds: BodyBounds = otherwise,
): RequestHandler {
  const read = express.raw({ limit, type: () => true });
  return async (req, res, next) => {
    const given = hasBody(req);
    if (!given && presence === 'required') throw missing();
    if (given && presence === 'none')
      throw invalid([{ field: 'body', message: 'must be absent: this operation takes no body' }]);
    if (!given) {
      delete req.headers['content-type'];
      return next();
    }
    settleType(req);
    await settle(read, req, res).catch((error: unknown) => {
      throw faultOf(error, limit);
    });
    const bytes: unknown = req.body;
    if (!Buffer.isBuffer(bytes) || bytes.length === 0) throw missing();
    req.body = parse(bytes, bounds);
    next();
  };
}
