import { setImmediate } from 'node:timers/promises';
import type { Code } from './codes.js';
import { code128, QUIET_MODULES } from './codes.js';
import type { Box, TextBox } from './design.js';
import { drawCode, drawText, fillBars, MILLIMETRE, newDocument, written } from './pdf-document.js';

/** The content of the sheet of a collection list. Its texts may come from clients. */
export interface CollectionSheet {
  code: string;
  sender: string;
  /** A time in the carrier's time zone, as people read it. */
  createdAt: string;
  lines: readonly SheetLine[];
}

interface SheetLine {
  trackingCode: string;
  /** The shipper's own name of the package or of its order. May be empty. */
  orderName: string;
  recipientName: string;
  /** City, state and CEP. */
  destination: string;
  /** In grams. */
  weight: number;
}

// Sizes in millimetres, on A4.
const page = { width: 210, height: 297 } as const;
const LEFT = 12;
const WIDTH = 186;
const LINE_HEIGHT = 6;
const FIRST_LINE = 58;
const LINES_ON_PAGE = 36;
/** Most lines on the last page. The place to sign is below them. */
const LINES_ABOVE_SIGNATURES = 31;
const SIGNATURES = 252;
const MODULE = 0.5;

const columns = [
  { title: 'Nº', x: 0, width: 10 },
  { title: 'RASTREIO', x: 11, width: 32 },
  { title: 'PEDIDO', x: 44, width: 40 },
  { title: 'DESTINATÁRIO', x: 85, width: 44 },
  { title: 'DESTINO', x: 130, width: 40 },
  { title: 'PESO', x: 171, width: 15 },
] as const;

/**
 * Makes the sheet as a PDF. It has the list's code as Code 128, a line for each package, and a place to sign on the
 * last page. After each page other work gets its turn. Throws the reason of an aborted signal.
 */
export async function collectionSheet(sheet: CollectionSheet, signal?: AbortSignal): Promise<Buffer> {
  const document = newDocument(`Lista de coleta ${sheet.code}`);
  const parts: Buffer[] = [];
  const pages = pagesOf(sheet.lines);
  let first = 0;
  for (const [at, lines] of pages.entries()) {
    signal?.throwIfAborted();
    document.addPage({ size: [page.width * MILLIMETRE, page.height * MILLIMETRE], margin: 0 });
    document.save().scale(MILLIMETRE);
    drawHead(document, sheet, `${at + 1} de ${pages.length}`);
    drawLines(document, lines, first);
    if (at === pages.length - 1) drawSignatures(document);
    document.restore();
    first += lines.length;
    parts.push(...written(document));
    await setImmediate();
  }
  document.end();
  return Buffer.concat([...parts, ...written(document)]);
}

/** Splits lines into pages. The last page has room for the signatures, and may have no lines. */
function pagesOf(lines: readonly SheetLine[]): (readonly SheetLine[])[] {
  const pages: (readonly SheetLine[])[] = [];
  let rest = lines;
  while (rest.length > LINES_ABOVE_SIGNATURES) {
    pages.push(rest.slice(0, LINES_ON_PAGE));
    rest = rest.slice(LINES_ON_PAGE);
  }
  return [...pages, rest];
}

type Style = Partial<Pick<TextBox, 'isBold' | 'align' | 'smallest'>> & { largest: number };

const box = (text: string, [x, y, width, height]: [number, number, number, number], style: Style): TextBox => ({
  ...{ text, x: LEFT + x, y, width, height, isBold: false, align: 'left', smallest: 1.6 },
  ...style,
});

function drawHead(document: PDFKit.PDFDocument, { code, sender, createdAt, lines }: CollectionSheet, number: string) {
  drawBars(document, code128(code), { x: LEFT + 96, y: 12, width: 90, height: 18 });
  const texts = [
    box('LISTA DE COLETA', [0, 12, 94, 9], { largest: 7, isBold: true }),
    box(sender, [0, 22, 94, 8], { largest: 4.4, smallest: 2.2, isBold: true }),
    box(`${lines.length} ${lines.length === 1 ? 'pacote' : 'pacotes'}`, [0, 32, 60, 7], { largest: 5, isBold: true }),
    box(`Criada em ${createdAt}`, [0, 40, 94, 5], { largest: 3.2 }),
    box(code.replace(/^(.)(.{4})(.{4})(.{4})$/, '$1 $2 $3 $4'), [96, 31.5, 90, 7], { largest: 5, align: 'center' }),
    box(`Página ${number}`, [126, 40, 60, 5], { largest: 3.2, align: 'right' }),
    ...columns.map(({ title, x, width }) => box(title, [x, 51, width, 4], { largest: 2.6, isBold: true })),
  ];
  for (const text of texts) drawText(document, text);
  fillBars(document, [{ x: LEFT, y: FIRST_LINE - 1.6, width: WIDTH, height: 0.4 }]);
}

function drawBars(document: PDFKit.PDFDocument, code: Code, { x, y, width, height }: Box): void {
  const used = code.width * Math.min(MODULE, width / (code.width + 2 * QUIET_MODULES));
  drawCode(document, code, { x: x + (width - used) / 2, y, width: used, height });
}

function drawLines(document: PDFKit.PDFDocument, lines: readonly SheetLine[], first: number): void {
  for (const [at, line] of lines.entries()) {
    const y = FIRST_LINE + at * LINE_HEIGHT;
    const cells = [
      String(first + at + 1),
      line.trackingCode.replace(/.{4}(?=.)/g, '$& '),
      line.orderName,
      line.recipientName,
      line.destination,
      `${String(Math.round(line.weight) / 1000).replace('.', ',')} kg`,
    ];
    for (const [index, { x, width }] of columns.entries())
      drawText(document, box(cells[index] ?? '', [x, y, width, LINE_HEIGHT - 1.4], { largest: 3 }));
  }
  const rules = lines.map((_, at) => ({
    x: LEFT,
    y: FIRST_LINE + (at + 1) * LINE_HEIGHT - 1.2,
    width: WIDTH,
    height: 0.1,
  }));
  if (rules.length > 0) fillBars(document, rules);
}

function drawSignatures(document: PDFKit.PDFDocument): void {
  const places = [
    { x: 0, title: 'Entregue por (nome e assinatura)' },
    { x: 66, title: 'Recebido por (nome e assinatura)' },
    { x: 132, title: 'Data, hora e pacotes recebidos' },
  ];
  fillBars(
    document,
    places.map(({ x }) => ({ x: LEFT + x, y: SIGNATURES + 22, width: 54, height: 0.3 })),
  );
  for (const { x, title } of places) drawText(document, box(title, [x, SIGNATURES + 23, 54, 5], { largest: 2.8 }));
}
