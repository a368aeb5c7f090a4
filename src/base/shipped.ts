import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { root } from './root.js';

/** Files that the service reads of packages which are installed for development only; `npm run build` copies them. */
export const shippedFiles = [
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed.ttf',
  'dejavu-fonts-ttf/ttf/DejaVuSansCondensed-Bold.ttf',
] as const;

export type ShippedFile = (typeof shippedFiles)[number];

const { resolve } = createRequire(import.meta.url);

/** Path of the copy, or of the original where the service runs from its source. */
export function shippedPath(file: ShippedFile): string {
  const copy = fileURLToPath(new URL(`shipped/${file}`, root));
  return existsSync(copy) ? copy : resolve(file);
}
