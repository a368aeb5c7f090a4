import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Visit } from './visit.js';

// Work that goes on over several forms: its state goes to the browser with each page, sealed for the session, and comes
// back with the next form. No process keeps it.

const MOST_BYTES = 16_777_216;

export const packed = async (state: string, purpose: string, { sealed }: Pick<Visit, 'sealed'>): Promise<string> =>
  sealed.seal(await promisify(deflateRaw)(state), purpose);

/** Throws MALFORMED_REQUEST for a text that `packed` did not make in this session, before it is read. */
export async function unpacked(text: string, purpose: string, { sealed }: Pick<Visit, 'sealed'>): Promise<string> {
  const bytes = await promisify(inflateRaw)(sealed.open(text, purpose), { maxOutputLength: MOST_BYTES });
  return bytes.toString();
}
