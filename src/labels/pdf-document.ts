import PDFDocument from 'pdfkit';
import type { Code } from './codes.js';
import type { Box, TextBox } from './design.js';
import { fitText, LEADING } from './fit.js';
import { fontOf, type LatinFont } from './fonts.js';
import { printedInPdf } from './printed.js';

declare global {
  namespace PDFKit.Mixins {
    interface PDFFont {
      /** Declared here because the library's types accept only files. */
      font(src: LatinFont, family: string): this;
    }
    interface TextOptions {
      /** For links and underlines. pdfkit measures the text if it is missing. */
      textWidth?: number;
      wordCount?: number;
    }
  }
}

/** Points in a millimetre; an inch has 72. */
export const MILLIMETRE = 72 / 25.4;

export function newDocument(title: string): PDFKit.PDFDocument {
  const info = { Title: title, Producer: 'Malote', Creator: 'Malote', CreationDate: new Date(0) };
  // Leaves out pdfkit's default font, because no text uses it.
  const document = new PDFDocument({ autoFirstPage: false, font: '', lang: 'pt-BR', info });
  // The library needs a date, but writes only enumerable properties.
  Object.defineProperty(document.info, 'CreationDate', { enumerable: false });
  return document;
}

export function* written(document: PDFKit.PDFDocument): Generator<Buffer> {
  const bytes: unknown = document.read();
  if (Buffer.isBuffer(bytes)) yield bytes;
}

export function drawCode(document: PDFKit.PDFDocument, code: Code, box: Box): void {
  document.save().translate(box.x, box.y);
  document.scale(box.width / code.width, box.height / code.height);
  fillBars(document, code.bars);
  document.restore();
}

/** Draws all bars as one path, because a code has about five hundred. */
export function fillBars(document: PDFKit.PDFDocument, bars: readonly Box[]): void {
  document
    .addContent(bars.map(({ x, y, width, height }) => `${x} ${y} ${width} ${height} re`).join('\n'))
    .fill('black');
}

/** Distance from the top of a line to its baseline, in multiples of the size. */
const BASELINE = 0.95;

/** With a list of features, even an empty one, pdfkit sets the words of a line together. */
const plainText: PDFKit.Mixins.TextOptions = {
  lineBreak: false,
  baseline: 'alphabetic',
  features: [],
  textWidth: 0,
  wordCount: 0,
};

export function drawText(document: PDFKit.PDFDocument, box: TextBox): void {
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
