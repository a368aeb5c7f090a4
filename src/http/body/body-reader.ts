import type { Request, RequestHandler, Response } from 'express';
import { invalid, type ServiceError, unsupported } from '../../base/errors.js';
import { type BodyBounds, unboundedValue } from '../../validation/bounds.js';
import { JSON_TYPE, type Operation } from '../../validation/operation.js';
import { type JsonStart, MAX_OTHER_NAMES, readExcess, readJson } from '../../validation/read-json.js';
import { actorOf } from '../authentication.js';
import type { SentBytes } from '../handler.js';
import type { HeldBody } from './body-budget.js';
import { bodyBytes } from './body-bytes.js';

/** Limits for a body that no schema describes. */
const defaultBounds: BodyBounds = {
  maxValues: 100_000,
  root: unboundedValue,
  trim: (value) => ({ value, fieldErrors: [] }),
};

const wrongType = (message: string): ServiceError => unsupported('media_type_unsupported', message);
const missing = (): ServiceError => invalid([{ field: 'body', code: 'required', message: 'is required' }]);

const hasBody = (req: Request): boolean =>
  req.headers['transfer-encoding'] !== undefined || Number(req.headers['content-length'] ?? 0) > 0;

/** The type of bytes that were sent without a type, as some generated clients do (RFC 9110, 8.3). */
const UNTYPED = 'application/octet-stream';

function settleType(req: Request, declared: readonly string[]): string {
  const [spelled = '', ...parameters] = (req.headers['content-type'] ?? UNTYPED).toLowerCase().split(';');
  const type = declared.find((each) => each === spelled.trim());
  if (type === undefined) throw wrongType(`The body must be sent as ${declared.join(' or ')}.`);
  const charset = parameters.map((each) => each.trim()).find((each) => each.startsWith('charset='));
  if (type === JSON_TYPE && charset && !/^charset="?utf-?8"?$/.test(charset))
    throw wrongType('The body must be encoded as UTF-8.');
  req.headers['content-type'] = type;
  return type;
}

/** Refuses field names that no contract allows, and that later code could take for a prototype. */
function demandPlainNames(body: unknown): void {
  const open = [body];
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    if (Object.hasOwn(value, '__proto__'))
      throw invalid([{ field: '__proto__', code: 'unknown_field', message: 'is not a field of this object' }]);
    for (const inner of Object.values(value)) if (typeof inner === 'object' && inner !== null) open.push(inner);
  }
}

function parse(bytes: Buffer, bounds: BodyBounds): unknown {
  const { value, excess } = readJson(bytes, bounds);
  if (excess) throw excessive({ value, excess }, bounds);
  demandPlainNames(value);
  return value;
}

/** Makes the refusal of a body that exceeds its limits. It names the wrong fields that were read so far. */
function excessive({ value, excess }: JsonStart, bounds: BodyBounds): ServiceError {
  demandPlainNames(value);
  const message = {
    values: `must hold at most ${bounds.maxValues} values`,
    items: 'must hold lists of the documented length',
    names: `must hold at most ${MAX_OTHER_NAMES} names that are not fields of the documented objects`,
  }[excess];
  return invalid([{ field: 'body', code: 'too_many', message }, ...bounds.trim(value).fieldErrors]);
}

/** Maximum bytes of a body without credentials, such as a login or a question about the schema. */
const MAX_PUBLIC_BYTES = 65_536;

export type HoldBody = (req: Request, res: Response) => HeldBody;

/**
 * Makes the two steps of a body: before and after the sender's turn. The first reads at most `limit` bytes, or 64 KiB
 * from a sender without credentials. It refuses JSON as soon as the arrived part exceeds `bounds`. The second sets
 * `req.body`: the value of JSON, or else `SentBytes`. Both throw `VALIDATION_ERROR` on the fields that exceed `bounds`.
 */
export function bodySteps(
  { body: { presence, types } }: Pick<Operation, 'body'>,
  limit: number,
  hold: HoldBody,
  bounds: BodyBounds = defaultBounds,
): Record<'read' | 'parse', RequestHandler> {
  const bodies = new WeakMap<Request, SentBytes & { held: HeldBody }>();
  const checkStart = (bytes: Buffer): void => {
    const start = readExcess(bytes, bounds);
    if (start) throw excessive(start, bounds);
  };
  return {
    read: async (req, res, next) => {
      if (!hasBody(req)) {
        if (presence === 'required') throw missing();
        delete req.headers['content-type'];
        return next();
      }
      if (presence === 'none')
        throw invalid([
          { field: 'body', code: 'not_allowed', message: 'must be absent: this operation takes no body' },
        ]);
      const type = settleType(req, types);
      const held = hold(req, res);
      const max = actorOf(req) ? limit : Math.min(limit, MAX_PUBLIC_BYTES);
      const bytes = await bodyBytes(req, res, max, held, type === JSON_TYPE ? checkStart : () => undefined);
      if (bytes.length === 0) throw missing();
      bodies.set(req, { type, bytes, held });
      next();
    },
    parse: (req, _res, next) => {
      const body = bodies.get(req);
      bodies.delete(req);
      if (!body) return next();
      const { type, bytes, held } = body;
      if (type !== JSON_TYPE) req.body = { type, bytes } satisfies SentBytes;
      else {
        req.body = parse(bytes, bounds);
        held.release();
      }
      next();
    },
  };
}
