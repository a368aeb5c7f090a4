import { Buffer } from 'node:buffer';
import { invalid } from '../base/errors.js';
import { isId } from '../base/ids.js';

/** Where an order stands in lists: newest first, by id among those of one millisecond. */
export interface OrderPosition {
  createdAt: Date;
  id: string;
}

/** Opaque to clients. */
export function cursorOf({ createdAt, id }: OrderPosition): string {
  return Buffer.from(`${createdAt.toISOString()}/${id}`).toString('base64url');
}

/** Throws VALIDATION_ERROR on `after` for what cursorOf did not make. */
export function positionOf(cursor: string): OrderPosition {
  const [time = '', id = ''] = Buffer.from(cursor, 'base64url').toString().split('/');
  const createdAt = new Date(time);
  const position = { createdAt, id };
  if (!isId(id) || Number.isNaN(createdAt.getTime()) || cursorOf(position) !== cursor) {
    throw invalid([{ field: 'after', message: 'is not a cursor of this list' }]);
  }
  return position;
}
