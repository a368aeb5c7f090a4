import { setImmediate } from 'node:timers/promises';
import { code128, QUIET_MODULES, qrCode, turned } from './codes.js';
import {
  BARCODE_MODULE,
  type Box,
  barcodeBoxOn,
  KEY_MODULE,
  keyBox,
  labelSize,
  qrBox,
  rulesOn,
  textsOf,
} from './design.js';
import type { Label, LabelLayout } from './label.js';
import { drawCode, drawText, fillBars, MILLIMETRE, newDocument, written } from './pdf-document.js';

type Place = Pick<Box, 'x' | 'y'>;

interface Sheet {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly places: readonly Place[];
}

/** Scale on A4. A quarter of A4 is smaller than the label, and printers leave some millimetres empty at its edges. */
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

/** Writes labels as a PDF, in pieces. After each label other work gets its turn. Equal labels give equal bytes. */
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
