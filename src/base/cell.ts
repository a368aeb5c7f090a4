/**
 * A cell is a database with all processes that work on it; each account lives whole in one (docs/scale.md#cells). A process makes
 * everything for one cell: ids, package numbers, tokens and keys say which, so that those of two cells never meet. Cell 0 leaves no
 * mark: what it makes is what a service without cells makes.
 */
let cell = 0;

/** To be called before anything else is made; 0 unless called. */
export const useCell = (number: number): void => {
  cell = number;
};

/** From 0 to 255. */
export const cellOfProcess = (): number => cell;

const MARK_LENGTH = 4;

/**
 * A secret of 32 bytes in base64url, whose last four characters give way to the cell's three digits and `_`. The last of the 43
 * characters of 32 bytes is never `_`, so no secret of cell 0 looks marked.
 */
export function markedWithCell(secret: string): string {
  return cell === 0 ? secret : `${secret.slice(0, -MARK_LENGTH)}${String(cell).padStart(3, '0')}_`;
}
