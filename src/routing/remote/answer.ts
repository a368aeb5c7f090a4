/** The service answered something that its interface does not allow. */
export class UnusableAnswerError extends Error {
  override readonly name = 'UnusableAnswerError';
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toRecord(value: unknown, what: string): Record<string, unknown> {
  if (!isRecord(value)) throw new UnusableAnswerError(`${what} is not an object`);
  return value;
}

export function toList(value: unknown, what: string): unknown[] {
  if (!Array.isArray(value)) throw new UnusableAnswerError(`${what} is not a list`);
  return value;
}

/** A finite number, also from a numeric string as Nominatim writes coordinates. */
export function toNumber(value: unknown, what: string): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) throw new UnusableAnswerError(`${what} is not a number`);
  return number;
}

/** A rectangular matrix of numbers that are not negative. */
export function toMatrix(value: unknown, rows: number, columns: number, what: string): number[][] {
  const matrix = toList(value, what).map((row) =>
    toList(row, what).map((cell) => {
      const number = toNumber(cell, what);
      if (number < 0) throw new UnusableAnswerError(`${what} has a negative leg`);
      return number;
    }),
  );
  if (matrix.length !== rows || matrix.some((row) => row.length !== columns))
    throw new UnusableAnswerError(`${what} is not ${rows} × ${columns}`);
  return matrix;
}
