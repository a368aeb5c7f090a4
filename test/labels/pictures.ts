import { createCanvas, type ImageData, loadImage } from '@napi-rs/canvas';
import { scanRGBABuffer } from '@undecaf/zbar-wasm';
import type { PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { ready } from 'zpl-renderer-js';
import type { Box } from '../../src/labels/design.js';

/** The print of a printer of 203 dpi, and the codes that a reader finds on it. */

const DOTS = 8;
/** PDF's points in a dot. */
const SCALE = (DOTS * 25.4) / 72;

// If Node lacks functions that PDF.js uses, PDF.js replaces them for the whole process by far slower ones.
const { parse, stringify } = JSON;
const { push } = Array.prototype;
const { getDocument } = await import('pdfjs-dist/legacy/build/pdf.mjs');
await import(import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.mjs'));
Object.assign(JSON, { parse, stringify });
Object.assign(Array.prototype, { push });

export type Printed = { readonly picture: ImageData; readonly text: string };

/** The pages of a PDF, each as `shown`. */
async function pagesIn<T>(file: Buffer, shown: (page: PDFPageProxy) => Promise<T>): Promise<T[]> {
  const task = getDocument({ data: new Uint8Array(file), verbosity: 0 });
  const document = await task.promise;
  const pages: T[] = [];
  for (let number = 1; number <= document.numPages; number += 1)
    pages.push(await shown(await document.getPage(number)));
  await task.destroy();
  return pages;
}

/** The text of a page as a program finds it in the file. */
async function textOf(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  const text = items.map((item) => ('str' in item ? item.str : '')).join(' ');
  return text.replace(/\s+/g, ' ');
}

export const textsInPdf = (file: Buffer): Promise<string[]> => pagesIn(file, textOf);

export const printedPdf = (file: Buffer): Promise<Printed[]> =>
  pagesIn(file, async (page) => {
    const viewport = page.getViewport({ scale: SCALE });
    const canvas = createCanvas(Math.round(viewport.width), Math.round(viewport.height));
    const context = canvas.getContext('2d');
    await page.render({ canvas: null, canvasContext: Object(context), viewport }).promise;
    return { picture: context.getImageData(0, 0, canvas.width, canvas.height), text: await textOf(page) };
  });

/** The first label of a ZPL file. */
export async function printedZpl(file: Buffer): Promise<ImageData> {
  const { api } = await ready;
  const png = await api.zplToBase64Async(file.toString(), 100, 150, DOTS);
  const image = await loadImage(Buffer.from(png, 'base64'));
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

/** The codes in a picture, by their kind and what they say. */
export async function codesIn({ data, width, height }: ImageData): Promise<string[]> {
  const symbols = await scanRGBABuffer(Uint8Array.from(data).buffer, width, height);
  return symbols.map((symbol) => `${symbol.typeName} ${symbol.decode()}`).sort();
}

/** The part of a picture in a box, whose millimetres are those of a label in the corner. */
export function partOf({ data, width }: ImageData, box: Box): Buffer {
  const [left, top] = [Math.ceil(box.x * DOTS), Math.ceil(box.y * DOTS)];
  const [across, down] = [Math.floor(box.width * DOTS), Math.floor(box.height * DOTS)];
  const rows = Array.from({ length: down }, (_, row) => {
    const from = ((top + row) * width + left) * 4;
    return Buffer.from(data.buffer, data.byteOffset + from, across * 4);
  });
  return Buffer.concat(rows);
}

export const isBlank = (pixels: Buffer): boolean => pixels.every((value) => value === 255);
