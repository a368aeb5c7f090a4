import { Readable } from 'node:stream';
import type { Label, LabelFormat, LabelLayout } from './label.js';
import { pdfOf } from './pdf.js';
import { zplOf } from './zpl.js';

/** A file of labels, as it comes; `type` is its media type. */
export type LabelFile =
  | { readonly type: 'application/pdf'; readonly body: Readable }
  | { readonly type: 'application/zpl'; readonly body: Readable };

/** `title` names a PDF to whoever opens it. The layout of ZPL is the label's own. */
export function labelFile(
  title: string,
  labels: readonly Label[],
  format: LabelFormat,
  layout: LabelLayout,
): LabelFile {
  return format === 'pdf'
    ? { type: 'application/pdf', body: Readable.from(pdfOf(title, labels, layout), { objectMode: false }) }
    : { type: 'application/zpl', body: Readable.from(zplOf(labels), { objectMode: false }) };
}
