import { postalCodeText } from '../../texts.js';
import type { RestSchemas, Visit } from '../../visit.js';
import { countOf, indexes, PICKUP_CODE, packageCode, type TextOf } from './draft.js';

// Looks up the CEPs of a new order: coverage, and the city that completes an address.

type Coverage = RestSchemas['Coverage'];

const CODE = /(?<!\d)\d{5}[-.\s]?\d{3}(?!\d)/g;
const digitsOf = (text: string): string => text.replace(/\D/g, '');

/** The last CEP in the text. Empty for a text without a CEP. */
export const codeIn = (text: string): string => digitsOf(text.match(CODE)?.at(-1) ?? '');

/** The CEP of an address: from its own field, or from the text of the address. */
const codeAt = (textOf: TextOf, name: string): string =>
  codeIn(textOf(name)) || codeIn(textOf(name.replace('postal_code', 'address')));

export interface Places {
  pickup: Coverage | undefined;
  /** One entry per package. Undefined without a typed CEP. */
  deliveries: readonly (Coverage | undefined)[];
}

/** Asks for the coverage of all typed CEPs at once. */
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

/** Adds the CEP and its city to the address, unless the text already names them. */
function wholeAddress(street: string, code: string, place: Coverage | undefined): string {
  if (street === '' || codeIn(code) === '' || codeIn(street) === codeIn(code)) return street;
  const { city, state } = place ?? {};
  const isNamed = city === undefined || bare(street).includes(bare(city));
  return [street, isNamed ? '' : `${city} - ${state}`, postalCodeText(codeIn(code))].filter(Boolean).join(', ');
}

/** The trimmed texts of the form, with completed addresses. */
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

/** A parcel as typed, for a quote. */
export interface Parcel {
  /** The CEP of the destination. */
  to: string;
  width: string;
  height: string;
  length: string;
  weight: string;
  /** The declared value. Empty without one. */
  value: string;
}

/** The CEP of the pickup, and the parcels of the form. */
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
