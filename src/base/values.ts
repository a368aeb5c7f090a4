/// <reference lib="es2024.string" />

/**
 * Whether PostgreSQL stores the text exactly as it is: well-formed Unicode without NUL. A lone surrogate
 * would be replaced silently in `text`, NUL is refused by it.
 */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** A JSON object: names and values of any kind. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value that the text is the JSON of; undefined, which no JSON means, when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
