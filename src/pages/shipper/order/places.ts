import { postalCodeText } from '../../texts.js';
import type { RestSchemas, Visit } from '../../visit.js';
import { countOf, indexes, PICKUP_CODE, packageCode, type TextOf } from './draft.js';

// The places of a new order by their CEPs: whether the carrier serves them, and the addresses that an order has.

type Coverage = RestSchemas['Coverage'];

const CODE = /(?<!\d)\d{5}[-.\s]?\d{3}(?!\d)/g;
const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** The CEP that a text is, or that it ends with; empty without one. */
export const codeIn = (text: string): string => digitsOf(text.match(CODE)?.at(-1) ?? '');

/** The CEP of the address of these fields: of its own field, or within the address. */
const codeAt = (textOf: TextOf, name: string): string =>
  codeIn(textOf(name)) || codeIn(textOf(name.replace('postal_code', 'address')));

export interface Places {
  pickup: Coverage | undefined;
  /** One for each package; undefined where no CEP is typed. */
  deliveries: readonly (Coverage | undefined)[];
}

/** Asks about the CEPs that are typed, all at once. */
export async function placesOf(visit: Visit): Promise<Places> {
  const { ask, form } = visit;
  const from = codeAt(form.text, PICKUP_CODE);
  const codes = indexes(countOf(visit)).map((at) => codeAt(form.text, packageCode(at)));
  const typed = [...new Set(codes)].filter((code) => code !== '');
  const [pickup, deliveries] = await Promise.all([
    from === '' ? undefined : ask('GET /api/v1/coverage', { query: { postal_code: from } }),
    typed.length === 0
      ? undefined
      : ask('GET /api/v1/coverage', { query: { postal_codes: typed.join(','), pickup_postal_code: from } }),
  ]);
  return { pickup: pickup?.data[0], deliveries: codes.map((code) => deliveries?.data[typed.indexOf(code)]) };
}

const bare = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** The address with the city of its CEP, unless it names them itself. */
function wholeAddress(street: string, code: string, place: Coverage | undefined): string {
  if (street === '' || codeIn(code) === '' || codeIn(street) === codeIn(code)) return street;
  const { city, state } = place ?? {};
  const isNamed = city === undefined || bare(street).includes(bare(city));
  return [street, isNamed ? '' : `${city} - ${state}`, postalCodeText(codeIn(code))].filter(Boolean).join(', ');
}

/** The trimmed texts of the form, in which each address is whole. */
export async function orderTexts(visit: Visit): Promise<TextOf> {
  const { pickup, deliveries } = await placesOf(visit);
  const textOf = (name: string) => visit.form.text(name).trim();
  return (name) => {
    if (!name.endsWith('.address.address')) return textOf(name);
    const [list, at] = name.split('.');
    const place = list === 'pickups' ? pickup : deliveries[Number(at)];
    return wholeAddress(textOf(name), textOf(name.replace(/address$/, 'postal_code')), place);
  };
}

/** A parcel as it is typed, for a quote. */
export interface Parcel {
  /** The CEP that it goes to. */
  to: string;
  width: string;
  height: string;
  length: string;
  weight: string;
  /** Empty where none is declared. */
  value: string;
}

/** The CEP of the pickup and the parcels of the form. */
export function parcelsOf(visit: Visit): { from: string; parcels: Parcel[] } {
  const { text } = visit.form;
  const parcels = indexes(countOf(visit)).map((at) => ({
    to: codeAt(text, packageCode(at)),
    width: text(`packages.${at}.dimensions.width`),
    height: text(`packages.${at}.dimensions.height`),
    length: text(`packages.${at}.dimensions.length`),
    weight: text(`packages.${at}.dimensions.weight`),
    value: text(`packages.${at}.declared_value`),
  }));
  return { from: codeAt(text, PICKUP_CODE), parcels };
}
