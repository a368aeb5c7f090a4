import { isUtf8 } from 'node:buffer';
import express, { type Request, type RequestHandler } from 'express';
import { Fault, invalid, malformed } from '../base/errors.js';
import { isFields } from './document.js';
import type { Operation } from './operation.js';
import { settle } from './series.js';

// Deeper than any contract, shallower than what recursion over a value could choke on.
const MAX_DEPTH = 32;

const tooLarge = (limit: number): Fault => new Fault('PAYLOAD_TOO_LARGE', `The body is larger than ${limit} bytes.`);
const wrongType = (message: string): Fault => new Fault('UNSUPPORTED_MEDIA_TYPE', message);
const missing = (): Fault => invalid([{ field: 'body', message: 'is required' }]);

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
  if (error instanceof Fault) return new Fault(error.code, error.message, { details: error.details });
  if (!isFields(error)) return error;
  if (error['type'] === 'entity.too.large') return tooLarge(limit);
  if (error['status'] === 415) return wrongType('The body has an encoding that is not supported.');
  if (error['type'] === 'entity.parse.failed') return malformed('The body is not valid JSON.');
  return error['status'] === 400 ? malformed('The body could not be read.') : error;
}

/** Refuses what no contract can allow and what recursive code downstream should never meet. */
function inspect(body: unknown): void {
  const open: [value: unknown, depth: number][] = [[body, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= MAX_DEPTH) throw malformed(`The body is nested more than ${MAX_DEPTH} levels deep.`);
    if (Object.hasOwn(value, '__proto__'))
      throw invalid([{ field: '__proto__', message: 'is not a field of this object' }]);
    for (const inner of Object.values(value)) open.push([inner, depth + 1]);
  }
}

function verify(_req: unknown, _res: unknown, bytes: Buffer): void {
  if (bytes.length === 0) throw missing();
  if (!isUtf8(bytes)) throw malformed('The body is not valid UTF-8.');
}

/**
 * Reads the JSON body of one operation into `req.body`, at most `limit` bytes after decompression. Throws
 * `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `MALFORMED_REQUEST`, or `VALIDATION_ERROR` on the field `body`.
 */
export function bodyReader({ body: { presence } }: Pick<Operation, 'body'>, limit: number): RequestHandler {
  const parse = express.json({ limit, strict: false, type: () => true, verify });
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
    await settle(parse, req, res).catch((error: unknown) => {
      throw faultOf(error, limit);
    });
    inspect(req.body);
    next();
  };
}
