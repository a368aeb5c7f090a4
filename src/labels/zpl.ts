import { setImmediate } from 'node:timers/promises';
import { code128, QUIET_MODULES, qrCode } from './codes.js';
import {
  BARCODE_MODULE,
  type Box,
  barcodeBoxOn,
  KEY_MODULE,
  keyBox,
  labelSize,
  qrBox,
  rulesOn,
  type TextBox,
  textsOf,
} from './design.js';
import { fitText, LEADING } from './fit.js';
import { fontOf } from './fonts.js';
import type { Label } from './label.js';
import { printedInZpl } from './printed.js';

/** Dots per millimetre: 203 per inch. */
const DOTS = 8;

const dots = (millimetres: number): number => Math.round(millimetres * DOTS);

const at = ({ x, y }: Pick<Box, 'x' | 'y'>): string => `^FO${dots(x)},${dots(y)}`;

export async function* zplOf(labels: readonly Label[]): AsyncGenerator<Buffer> {
  for (const label of labels) {
    yield Buffer.from(formatOf(label));
    await setImmediate();
  }
}

const formatOf = (label: Label): string =>
  [
    '^XA^CI28',
    `^PW${dots(labelSize.width)}^LL${dots(labelSize.height)}^LH0,0`,
    ...rulesOn(label).map((rule) => `${at(rule)}^GB${dots(rule.width)},${dots(rule.height)},${dots(rule.height)}^FS`),
    ...textsOf(label).flatMap(textFields),
    barcodeField(label.barcode, barcodeBoxOn(label)),
    ...(label.document ? [keyField(label.document.value)] : []),
    ...(label.trackingUrl === undefined ? [] : [qrField(label.trackingUrl)]),
    '^XZ\n',
  ].join('\n');

/** Writes a Code 128. `>;` begins subset C, with two digits in a symbol. */
function barcodeField(digits: string, box: Box): string {
  const margin = (box.width - code128(digits).width * BARCODE_MODULE) / 2;
  const [module, height] = [dots(BARCODE_MODULE), dots(box.height)];
  return `${at({ ...box, x: box.x + margin })}^BY${module}^BCN,${height},N,N,N^FD>;${digits}^FS`;
}

/**
 * Writes the fiscal key. `R` turns it by a right angle. `A` lets the printer choose subsets: C for digits, B for
 * letters.
 */
function keyField(key: string): string {
  const [module, height] = [dots(KEY_MODULE), dots(keyBox.width)];
  const margin = (keyBox.height - code128(key).width * KEY_MODULE) / 2;
  return `${at({ ...keyBox, y: keyBox.y + margin })}^BY${module}^BCR,${height},N,N,N,A^FD${key}^FS`;
}

const MAX_MAGNIFICATION = 10;

/** Writes a QR code. `MA,` means error correction of level M, and that the printer chooses the encoding. */
function qrField(url: string): string {
  const modules = qrCode(url).width + 2 * QUIET_MODULES;
  const magnification = Math.max(1, Math.min(MAX_MAGNIFICATION, Math.floor(dots(qrBox.width) / modules)));
  const margin = (qrBox.width - ((modules - 2 * QUIET_MODULES) * magnification) / DOTS) / 2;
  const corner = { x: qrBox.x + margin, y: qrBox.y + margin };
  return `${at(corner)}^BQN,2,${magnification},M^FH^FDMA,${escaped(url)}^FS`;
}

/**
 * Writes a field for each line: in a block (`^FB`) that is too small, lines are printed over each other. Lines are
 * broken by the widths of DejaVu Sans Condensed, which is wider than the printer's own font.
 */
function textFields(box: TextBox): string[] {
  const { size, lines } = fitText(printedOf(box.text), box, fontOf('plain').widthOf);
  const height = dots(size);
  return lines.map((line, row) => {
    const place = at({ x: box.x, y: box.y + row * LEADING * size });
    return `${place}^A0N,${height}${blockOf(box)}^FH^FD${escaped(line.replace('…', '...'))}^FS`;
  });
}

/** Separates the two signs of `\&`, because some printers read them as the end of a line. */
const printedOf = (text: string): string => printedInZpl(text).replaceAll('\\&', '\\ &');

const alignments = { left: '', center: 'C', right: 'R' } as const;

const blockOf = ({ align, width }: TextBox): string =>
  align === 'left' ? '' : `^FB${dots(width)},1,0,${alignments[align]}`;

const SPECIAL = /[^0-9A-Za-z ,.-]/gu;

/** Writes signs with a meaning (`^`, `~`, `\`, `_`), and signs beyond plain ASCII, as hexadecimal bytes for `^FH`. */
const escaped = (text: string): string =>
  text.replace(SPECIAL, (character) =>
    [...Buffer.from(character)].map((byte) => `_${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
