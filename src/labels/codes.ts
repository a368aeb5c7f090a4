import bwipjs from 'bwip-js/generic';
import { correction, generate } from 'lean-qr';
import type { Box } from './design.js';

/** A code in modules, without a quiet zone; its bars are dark. */
export interface Code extends Pick<Box, 'width' | 'height'> {
  readonly bars: readonly Box[];
}

export const QUIET_MODULES = 4;

/** Code 128, one module high; digits stand two in a symbol. */
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

/** The code turned by a right angle. */
export const turned = ({ width, height, bars }: Code): Code => ({
  width: height,
  height: width,
  bars: bars.map((bar) => ({ x: bar.y, y: bar.x, width: bar.height, height: bar.width })),
});

/** QR code of level M, its dark modules joined along each row. bwip-js makes them too, at twelve times the CPU. */
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
