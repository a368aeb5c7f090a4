import bwipjs from 'bwip-js/generic';
import { correction, generate } from 'lean-qr';
import type { Box } from './design.js';

/** A code, measured in modules, without its quiet zone. `bars` are the dark parts. */
export interface Code extends Pick<Box, 'width' | 'height'> {
  readonly bars: readonly Box[];
}

export const QUIET_MODULES = 4;

/** Makes a Code 128, one module high. A symbol holds two digits. */
export function code128(text: string): Code {
  const [symbol] = bwipjs.raw('code128', text, {});
  if (!symbol || !('sbs' in symbol)) throw new TypeError('bwip-js made no bars.');
  const bars: Box[] = [];
  let x = 0;
  symbol.sbs.forEach((width, at) => {
    if (at % 2 === 0) bars.push({ x, y: 0, width, height: 1 });
    x += width;
  });
  return { width: x, height: 1, bars };
}

/** Turns the code by a right angle. */
export const turned = ({ width, height, bars }: Code): Code => ({
  width: height,
  height: width,
  bars: bars.map((bar) => ({ x: bar.y, y: bar.x, width: bar.height, height: bar.width })),
});

/** Makes a QR code of level M. Dark modules in a row are joined. bwip-js could do it, too, at twelve times the CPU. */
export function qrCode(text: string): Code {
  const code = generate(text, { minCorrectionLevel: correction.M, maxCorrectionLevel: correction.M });
  const { size } = code;
  const bars: Box[] = [];
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const from = x;
      while (code.get(x, y)) x += 1;
      if (x > from) bars.push({ x: from, y, width: x - from, height: 1 });
    }
  return { width: size, height: size, bars };
}
