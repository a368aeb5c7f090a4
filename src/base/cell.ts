/** The cell of this process (docs/scale.md#cells): ids, tokens and keys of two never meet. Cell 0 leaves no mark. */
let cell = 0;

/** Must be called before anything else is made. */
export const useCell = (number: number): void => {
  cell = number;
};

/** From 0 to 255. */
export const cellOfProcess = (): number => cell;

const MARK_LENGTH = 4;

/** A secret of 32 bytes in base64url that ends in the cell's three digits and `_`, as no unmarked one does. */
export function markedWithCell(secret: string): string {
  return cell === 0 ? secret : `${secret.slice(0, -MARK_LENGTH)}${String(cell).padStart(3, '0')}_`;
}
