import { codeMaker } from '../../packages/codes.js';
import type { StatusRecord, TrackingEvent, TrackingRecord } from '../../packages/tracking.js';

/** Makes sample packages without an order. Each is in a state that a receiver may not be prepared for. */

const makeCodes = codeMaker([{ id: 'samples', secret: Buffer.alloc(32, 'malote verify-receiver') }]);

export const ago = (seconds: number): string =>
  new Date(Date.now() - 1000 * seconds).toISOString().replace('Z', '000Z');

const location = { city: 'São Paulo', state: 'SP' };

/** A status without a `null` value, with a code that every receiver knows. */
const problemAt = (updatedTime: string): StatusRecord => ({
  code: 6,
  highLevelStatus: 'Com problema',
  description: 'Parado; o remetente precisa agir.',
  actionRequired: {
    reasonLabel: 'Endereço incompleto',
    reasonDescription: 'O número do endereço não foi encontrado.',
  },
  updatedTime,
});

/** Makes the n-th sample package, in the simplest state. Its key shows that it is a sample. */
export function sampleRecord(number: number, other: Partial<TrackingRecord> = {}): TrackingRecord {
  const [codes] = makeCodes([BigInt(number)]);
  const { trackingCode = '', barcode = '' } = codes ?? {};
  const now = ago(0);
  return {
    loggiKey: `00000000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`,
    seq: 1,
    trackingCode,
    barcode,
    promisedDate: now.slice(0, 10),
    requestTime: now,
    status: problemAt(now),
    location,
    trackingHistory: [],
    ...other,
  };
}

export const unknownCode = (): StatusRecord => ({
  ...problemAt(ago(0)),
  code: 32_000,
  highLevelStatus: 'Em quarentena',
});

export const withoutAction = (): StatusRecord => ({
  ...problemAt(ago(0)),
  code: 3,
  highLevelStatus: 'Em processamento',
  description: 'Coletado, em processamento.',
  actionRequired: null,
});

/** Two events, newest first. The newer one has no location. */
export const placelessHistory = (): TrackingEvent[] =>
  [60, 120].map((seconds, at) => ({ status: problemAt(ago(seconds)), location: at === 0 ? null : location }));

/** The maximum number of events in a body. They do not all fit into 256 KiB. */
export function longHistory(): TrackingEvent[] {
  const description = 'O destinatário não atendeu. '.repeat(8).trimEnd();
  return Array.from({ length: 1_000 }, (_, at) => ({
    status: { ...problemAt(ago(60 * (at + 1))), description },
    location,
  }));
}

/** The same payload with additional fields that no version has. */
export function withUnknownFields(body: Buffer): Buffer {
  const futureField = { of: 'a later version' };
  const { packages } = JSON.parse(body.toString('utf8'));
  const extended = packages.map((each: { status: object }) => ({
    ...each,
    futureField,
    status: { ...each.status, futureField },
  }));
  return Buffer.from(JSON.stringify({ packages: extended, futureField }));
}

/** The same payload in other bytes: with line breaks, and with escapes for letters beyond ASCII. */
export function respelled(body: Buffer): Buffer {
  const text = JSON.stringify(JSON.parse(body.toString('utf8')), null, 1);
  const escapeOf = (letter: string) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
  return Buffer.from(text.replaceAll(/[\u0080-\uffff]/g, escapeOf));
}
