import { setImmediate } from 'node:timers/promises';
import PDFDocument from 'pdfkit';
import { type Code, code128, QUIET_MODULES, qrCode, turned } from './codes.js';
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
import { fontOf, type LatinFont } from './fonts.js';
import type { Label, LabelLayout } from './label.js';
import { printedInPdf } from './printed.js';

declare global {
  namespace PDFKit.Mixins {
    interface PDFFont {
      /** The types have files only. */
      font(src: LatinFont, family: string): this;
    }
    interface TextOptions {
      /** Measured when missing, for links and underlines. */
      textWidth?: number;
      wordCount?: number;
    }
  }
}

/** A millimetre in points, 72 to an inch. */
const MILLIMETRE = 72 / 25.4;

type Place = Pick<Box, 'x' | 'y'>;

interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly places: readonly Place[];
}

/** A quarter of A4 is smaller than the label, and printers leave out some millimetres at its edges. */
const A4_SCALE = 0.93;
const [A4_WIDTH, A4_HEIGHT] = [210, 297];

const inQuarter = (column: 0 | 1, row: 0 | 1): Place => ({
  x: (A4_WIDTH / 2) * (column + 0.5) - (labelSize.width * A4_SCALE) / 2,
  y: (A4_HEIGHT / 2) * (row + 0.5) - (labelSize.height * A4_SCALE) / 2,
});

const quarters = [inQuarter(0, 0), inQuarter(1, 0), inQuarter(0, 1), inQuarter(1, 1)];

const sheets: Readonly<Record<LabelLayout, Sheet>> = {
  '100x150': { ...labelSize, scale: 1, places: [{ x: 0, y: 0 }] },
  a4: { width: A4_WIDTH, height: A4_HEIGHT, scale: A4_SCALE, places: quarters },
};

/** The labels as a PDF, in pieces; other work gets its turn after each label. The same labels are the same bytes. */
export async function* pdfOf(title: string, labels: readonly Label[], layout: LabelLayout): AsyncGenerator<Buffer> {
  const { width, height, scale, places } = sheets[layout];
  const document = newDocument(title);
  for (const [at, label] of labels.entries()) {
    const place = places[at % places.length];
    if (!place) throw new RangeError('a sheet has no place for a label');
    if (place === places[0]) document.addPage({ size: [width * MILLIMETRE, height * MILLIMETRE], margin: 0 });
    document.save().scale(MILLIMETRE).translate(place.x, place.y).scale(scale);
    drawLabel(document, label);
    document.restore();
    yield* written(document);
    await setImmediate();
  }
  document.end();
  yield* written(document);
}

function newDocument(title: string): PDFKit.PDFDocument {
  const info = { Title: title, Producer: 'Malote', Creator: 'Malote', CreationDate: new Date(0) };
  // Without its default font, in which nothing is written.
  const document = new PDFDocument({ autoFirstPage: false, font: '', lang: 'pt-BR', info });
  // The library needs a date, and writes all enumerable properties.
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  return document;
}

function* written(document: PDFKit.PDFDocument): Generator<Buffer> {
  const bytes: unknown = document.read();
  if (Buffer.isBuffer(bytes)) yield bytes;
}

function drawLabel(document: PDFKit.PDFDocument, label: Label): void {
  fillBars(document, rulesOn(label));
  drawBarcode(document, label.barcode, barcodeBoxOn(label));
  if (label.document) drawKey(document, label.document.value);
  if (label.trackingUrl !== undefined) drawQr(document, label.trackingUrl);
  for (const text of textsOf(label)) drawText(document, text);
}

function drawBarcode(document: PDFKit.PDFDocument, digits: string, box: Box): void {
  const code = code128(digits);
  const width = code.width * BARCODE_MODULE;
  drawCode(document, code, { ...box, x: box.x + (box.width - width) / 2, width });
}

function drawKey(document: PDFKit.PDFDocument, key: string): void {
  const code = turned(code128(key));
  const height = code.height * KEY_MODULE;
  drawCode(document, code, { ...keyBox, y: keyBox.y + (keyBox.height - height) / 2, height });
}

function drawQr(document: PDFKit.PDFDocument, url: string): void {
  const code = qrCode(url);
  const side = (qrBox.width * code.width) / (code.width + 2 * QUIET_MODULES);
  const margin = (qrBox.width - side) / 2;
  drawCode(document, code, { x: qrBox.x + margin, y: qrBox.y + margin, width: side, height: side });
}

function drawCode(document: PDFKit.PDFDocument, code: Code, box: Box): void {
  document.save().translate(box.x, box.y);
  document.scale(box.width / code.width, box.height / code.height);
  fillBars(document, code.bars);
  document.restore();
}

/** Draws all bars as one path: a code has some five hundred. */
function fillBars(document: PDFKit.PDFDocument, bars: readonly Box[]): void {
  document
    .addContent(bars.map(({ x, y, width, height }) => `${x} ${y} ${width} ${height} re`).join('\n'))
    .fill('black');
}

/** From the top of a line to its baseline, in multiples of the size. */
const BASELINE = 0.95;

/** With a list of features, even an empty one, the words of a line are set together. */
const plainText: PDFKit.Mixins.TextOptions = {
  lineBreak: false,
  baseline: 'alphabetic',
  features: [],
  textWidth: 0,
  wordCount: 0,
};

function drawText(document: PDFKit.PDFDocument, box: TextBox): void {
  const name = box.isBold ? 'bold' : 'plain';
  const font = fontOf(name);
  const { size, lines } = fitText(printedInPdf(box.text), box, font.widthOf);
  document.font(font, name).fontSize(size);
  for (const [at, line] of lines.entries()) {
    const x = startOf(box, () => font.widthOf(line) * size);
    document.text(line, x, box.y + (at * LEADING + BASELINE) * size, plainText);
  }
}

function startOf({ x, width, align }: TextBox, used: () => number): number {
  if (align === 'left') return x;
  return align === 'right' ? x + width - used() : x + (width - used()) / 2;
}
