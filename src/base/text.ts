/// <reference lib="es2024.string" />

/**
 * Whether PostgreSQL stores the text exactly as it is: well-formed Unicode without NUL. A lone surrogate
 * would be replaced silently in `text`, NUL is refused by it.
 */
export function isText(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}
