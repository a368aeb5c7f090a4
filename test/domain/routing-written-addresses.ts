/** The forms in which people write an address, to measure how well addresses are read. */
import { type AddressedPoint, addressedPoints, municipalityRows } from '../../scripts/places/sources.js';

export interface WrittenAddress extends AddressedPoint {
  city: string;
  /** UF. */
  state: string;
  /** True if no other municipality has the name. */
  isUnique: boolean;
}

/** The points as addresses, without points whose street text is a whole address. */
export function writtenAddresses(): WrittenAddress[] {
  const municipalities = new Map(municipalityRows().map((row) => [row.ibge, row]));
  const names = [...municipalities.values()].map(({ name }) => name);
  const repeated = new Set(names.filter((name, at) => names.indexOf(name) !== at));
  return addressedPoints().flatMap((point) => {
    const municipality = municipalities.get(point.ibge);
    if (!municipality || /[,;\n]/.test(point.street + point.neighbourhood)) return [];
    const { name, uf } = municipality;
    return { ...point, number: point.number || '100', city: name, state: uf, isUnique: !repeated.has(name) };
  });
}

const withoutAccents = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '');

/** Writes an address. Undefined if the form needs a part that the address lacks. */
type Form = (address: WrittenAddress) => string | undefined;

/** A form that needs the neighbourhood, the CEP, or both. */
function needing(field: 'neighbourhood' | 'cep', form: Form): Form {
  return (address) => (address[field] === '' ? undefined : form(address));
}

const full: Form = needing(
  'neighbourhood',
  (a) => `${a.street}, ${a.number} - ${a.neighbourhood}, ${a.city} - ${a.state}`,
);
const withoutCommas: Form = needing(
  'neighbourhood',
  (a) => `${a.street} ${a.number} ${a.neighbourhood} ${a.city} ${a.state}`,
);

/** Forms that name a city, so they must never be read as another city. */
export const forms: Record<string, Form> = {
  'street, number, city - UF': (a) => `${a.street}, ${a.number}, ${a.city} - ${a.state}`,
  'street, city/UF': (a) => `${a.street}, ${a.city}/${a.state}`,
  'street, number - neighbourhood, city - UF': full,
  'the same in small letters': (a) => full(a)?.toLowerCase(),
  'the same without accents': (a) => withoutAccents(full(a) ?? '') || undefined,
  'the same without commas': withoutCommas,
  'the same with the CEP': needing('cep', (a) => full(a) && `${full(a)}, ${a.cep}`),
  'street number city UF': (a) => `${a.street} ${a.number} ${a.city} ${a.state}`,
  'neighbourhood, city - UF': needing('neighbourhood', (a) => `${a.neighbourhood}, ${a.city} - ${a.state}`),
  'street, number, city': (a) => (a.isUnique ? `${a.street}, ${a.number}, ${a.city}` : undefined),
  'street, number - neighbourhood, city': needing('neighbourhood', (a) =>
    a.isUnique ? `${a.street}, ${a.number} - ${a.neighbourhood}, ${a.city}` : undefined,
  ),
  'neighbourhood, city': needing('neighbourhood', (a) => (a.isUnique ? `${a.neighbourhood}, ${a.city}` : undefined)),
  'street, number, city, CEP': needing('cep', (a) => `${a.street}, ${a.number}, ${a.city}, ${a.cep}`),
  'city - UF, street, number': (a) => `${a.city} - ${a.state}, ${a.street}, ${a.number}`,
  'city/UF, neighbourhood, street number': needing(
    'neighbourhood',
    (a) => `${a.city}/${a.state}, ${a.neighbourhood}, ${a.street} ${a.number}`,
  ),
};

/** Forms that name no city. The CEP decides the city, if there is one. */
export const formsWithoutCity: Record<string, Form> = {
  CEP: needing('cep', (a) => a.cep),
  'street, number, CEP': needing('cep', (a) => `${a.street}, ${a.number}, ${a.cep}`),
  'street, number - neighbourhood, CEP': needing('cep', (a) =>
    a.neighbourhood === '' ? undefined : `${a.street}, ${a.number} - ${a.neighbourhood}, ${a.cep}`,
  ),
  'street, number': (a) => `${a.street}, ${a.number}`,
  'street, number - UF': (a) => `${a.street}, ${a.number} - ${a.state}`,
  'street, number - neighbourhood': needing('neighbourhood', (a) => `${a.street}, ${a.number} - ${a.neighbourhood}`),
};
