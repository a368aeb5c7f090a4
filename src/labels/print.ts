import { ServiceError } from '../base/errors.js';
import { createGate } from '../base/turns/queue.js';
import type { Label, LabelFormat, LabelLayout } from './label.js';

export interface LabelFile {
  readonly type: `application/${LabelFormat}`;
  readonly body: Buffer;
}

/** Loads the drawing code with the first file. Fonts and PDF take 0.2 s, and most processes never need them. */
async function partsOf(title: string, labels: readonly Label[], layout: LabelLayout, format: LabelFormat) {
  if (format === 'zpl') return (await import('./zpl.js')).zplOf(labels);
  return (await import('./pdf.js')).pdfOf(title, labels, layout);
}

/** Makes a file of labels; a hundred take half a megabyte. Throws the reason of an aborted signal. */
export async function labelFile(
  title: string,
  labels: readonly Label[],
  { format, layout }: { format: LabelFormat; layout: LabelLayout },
  signal?: AbortSignal,
): Promise<LabelFile> {
  const written: Buffer[] = [];
  for await (const part of await partsOf(title, labels, layout, format)) {
    signal?.throwIfAborted();
    written.push(part);
  }
  return { type: `application/${format}`, body: Buffer.concat(written) };
}

/**
 * Bounds of files of labels in work. A file of a hundred labels takes a third of a second, so the last waits half a
 * minute.
 */
export const labelsBounds = { atOnce: 4, maxWaiting: 64, maxWaitingOfOwner: 16 } as const;

/** The gate for files of labels in this process: one per account at a time, and a few of all accounts. */
export const labelsGate = createGate({
  ...labelsBounds,
  refusal: (full) => {
    const [code, whose] =
      full === 'owner' ? (['RATE_LIMITED', 'this account'] as const) : (['UNAVAILABLE', 'all'] as const);
    return new ServiceError(code, 'labels_in_flight', `Too many files of labels are asked for at once, by ${whose}.`);
  },
});
