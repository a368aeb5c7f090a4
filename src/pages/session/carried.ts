import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { isFields, parseJson } from '../../base/values.js';
import { unreadable } from './forms.js';
import type { Visit } from './visit.js';

const MOST_BYTES = 16_777_216;

/** Names of the state's parts by their kinds. */
type Parts<State> = { [Name in keyof State & string]: Kind<State[Name]> };
type Kind<Value> = Value extends readonly unknown[] ? 'list' : Value extends number ? 'number' : 'string';

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

/**
 * Work that goes on over several forms: its state goes to the browser with each page, sealed for the session, and comes
 * back with the next form. No process keeps it. `parts` tells the state of this version from that of another.
 */
export function carrierOf<State extends object>(purpose: string, parts: Parts<State>) {
  const isState = (value: unknown): value is State =>
    isFields(value) && Object.entries(parts).every(([name, kind]) => kindOf(value[name]) === kind);
  return {
    packed: async (state: State, { sealed }: Visit): Promise<string> =>
      sealed.seal(await promisify(deflateRaw)(JSON.stringify(state)), purpose),
    /** Throws MALFORMED_REQUEST for a text that `packed` did not make in this session, before it is read. */
    unpacked: async ({ sealed, form }: Visit): Promise<State> => {
      const sent = sealed.open(form.text('progress'), purpose);
      const bytes = await promisify(inflateRaw)(sent, { maxOutputLength: MOST_BYTES });
      const state = parseJson(bytes.toString());
      if (!isState(state)) throw unreadable();
      return state;
    },
  };
}
