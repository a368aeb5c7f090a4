import { ServiceError } from '../base/errors.js';
import { createGate } from '../base/queue.js';
import type { Label, LabelFormat, LabelLayout } from './label.js';
import { pdfOf } from './pdf.js';
import { zplOf } from './zpl.js';

/** A file of labels; `type` is its media type. */
export type LabelFile =
  | { readonly type: 'application/pdf'; readonly body: Buffer }
  | { readonly type: 'application/zpl'; readonly body: Buffer };

/**
 * The file of some labels: half a megabyte for a hundred. `title` names a PDF to whoever opens it. The layout of ZPL is
 * the label's own. Throws the signal's reason once that is aborted.
 */
export const labelFile = async (
  title: string,
  labels: readonly Label[],
  { format, layout }: { format: LabelFormat; layout: LabelLayout },
  signal?: AbortSignal,
): Promise<LabelFile> =>
  format === 'pdf'
    ? { type: 'application/pdf', body: await whole(pdfOf(title, labels, layout), signal) }
    : { type: 'application/zpl', body: await whole(zplOf(labels), signal) };

async function whole(parts: AsyncIterable<Buffer>, signal: AbortSignal | undefined): Promise<Buffer> {
  const written: Buffer[] = [];
  for await (const part of parts) {
    signal?.throwIfAborted();
    written.push(part);
  }
  return Buffer.concat(written);
}

/** A file of a hundred labels takes a third of a second: the last one that waits is made within half a minute. */
export const labelsBounds = { atOnce: 4, mostWaiting: 64, mostWaitingOfOwner: 16 } as const;

/**
 * The gate of this process to files of labels, from reading what stands on them on: one of an account at a time, a few
 * of all.
 */
export const labelsGate = createGate({
  ...labelsBounds,
  refusal: (full) => {
    const [code, whose] =
      full === 'owner' ? (['RATE_LIMITED', 'this account'] as const) : (['UNAVAILABLE', 'all'] as const);
    const options = { reason: 'labels_in_flight', headers: { 'Retry-After': '1' } } as const;
    return new ServiceError(code, `Too many files of labels are asked for at once, by ${whose}.`, options);
  },
});
