/**
 * The cell of this process: a database with all processes that work on it (docs/scale.md#cells). Ids, package numbers,
 * tokens and keys are marked with it, so that those of two cells never meet. Cell 0 leaves no mark.
 */
let cell = 0;

/** Must be called before anything else is made. */
export const useCell = (number: number): void => {
  cell = number;
};

/** From 0 to 255. */
export const cellOfProcess = (): number => cell;

const MARK_LENGTH = 4;

/**
 * A secret of 32 bytes in base64url, whose last four characters give way to the cell's three digits and `_`. Without a
 * mark the last of its 43 characters is never `_`.
 */
export function markedWithCell(secret: string): string {
  return cell === 0 ? secret : `${secret.slice(0, -MARK_LENGTH)}${String(cell).padStart(3, '0')}_`;
}
