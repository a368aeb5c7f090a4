import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Request, Response } from 'express';
import { malformed, type ServiceError, tooLarge, unsupported } from '../../base/errors.js';
import type { HeldBody } from './body-budget.js';
import { askForBody, endAfterAnswer } from './unread-body.js';

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
const DECODER_BYTES = 65_536;

const beyond = (limit: number): ServiceError => tooLarge('body_too_large', `The body is larger than ${limit} bytes.`);
const unreadable = (): ServiceError => malformed('body_malformed', 'The body could not be read.');

function decoded(req: Request, held: HeldBody): Readable {
  const encoding = req.headers['content-encoding']?.toLowerCase() ?? 'identity';
  if (encoding === 'identity') return req;
  const decoder = Object.entries(decoders).find(([name]) => name === encoding)?.[1];
  if (!decoder) throw unsupported('encoding_unsupported', 'The body has an encoding that is not supported.');
  held.grow(DECODER_BYTES);
  return req.pipe(decoder());
}

/** Checks the part of a body that has arrived, and throws if it must be refused. */
export type CheckStart = (bytes: Buffer) => void;

/**
 * A usual order has arrived completely before the first check. Each later check sees twice as much, so all checks
 * together cost as much as two.
 */
const FIRST_CHECK_BYTES = 65_536;

/** Collects pieces in one buffer. Many small pieces would need a hundred times the memory. */
class Collected {
  #bytes: Buffer = Buffer.alloc(0);
  #length = 0;
  #nextCheck = FIRST_CHECK_BYTES;

  constructor(
    private readonly held: HeldBody,
    private readonly max: number,
    private readonly checkStart: CheckStart,
  ) {}

  /** Adds a piece. Throws PAYLOAD_TOO_LARGE, and the errors of the budget. */
  add(piece: Buffer): void {
    const length = this.#length + piece.length;
    if (length > this.max) throw beyond(this.max);
    if (this.#length === 0 && length === this.max) {
      this.held.grow(length);
      this.#bytes = piece;
    } else {
      if (length > this.#bytes.length) this.#growTo(Math.min(this.max, Math.max(length, 2 * this.#length)));
      piece.copy(this.#bytes, this.#length);
    }
    this.#length = length;
    if (length < this.#nextCheck) return;
    this.#nextCheck = 2 * length;
    this.checkStart(this.all());
  }

  #growTo(size: number): void {
    this.held.grow(size - this.#bytes.length);
    const grown = Buffer.allocUnsafeSlow(size);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }
}

/**
 * Reads at most `limit` bytes of a body after decompression. Throws PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE,
 * MALFORMED_REQUEST (the client left), and the errors of the budget and of `checkStart`. After an error the connection
 * ends, so the rest of the body costs nothing.
 */
export async function bodyBytes(
  req: Request,
  res: Response,
  limit: number,
  held: HeldBody,
  checkStart: CheckStart,
): Promise<Buffer> {
  askForBody(req, res);
  const length = Number(req.headers['content-length'] ?? Number.NaN);
  const stream = decoded(req, held);
  const isPlain = stream === req;
  try {
    if (isPlain && length > limit) throw beyond(limit);
    return await collect(stream, req, new Collected(held, isPlain && length <= limit ? length : limit, checkStart));
  } catch (error) {
    if (!isPlain) {
      req.unpipe();
      stream.destroy();
    }
    held.release();
    endAfterAnswer(req, res);
    throw error;
  }
}

function collect(stream: Readable, req: Request, collected: Collected): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const finish = (act: () => void): void => {
      stream.removeAllListeners('data');
      act();
    };
    stream.on('data', (piece: Buffer) => {
      try {
        collected.add(piece);
      } catch (error) {
        finish(() => reject(error));
      }
    });
    stream.once('end', () => finish(() => resolve(collected.all())));
    for (const each of new Set([stream, req])) each.on('error', () => finish(() => reject(unreadable())));
  });
}
