import brazil from '../data/brazil.json' with { type: 'json' };
import { looseKey } from './spelling.js';
import { nameKey } from './words.js';

interface Point {
  latitude: number;
  longitude: number;
}

export interface District extends Point {
  name: string;
}

export interface Municipality {
  name: string;
  /** UF. */
  state: string;
  /** Absent for the few municipalities that the gazetteer has no coordinates of. */
  seat?: Point;
  /** By name key. */
  districts: Map<string, District>;
}

const byName = new Map<string, Municipality[]>();
const districtOwners = new Map<string, Municipality[]>();
/** By state, then by loose key; made for a state when it is first needed. */
const byLooseName = new Map<string, Map<string, Municipality[]>>();

function add<T>(index: Map<string, T[]>, key: string, value: T): void {
  const listed = index.get(key);
  if (!listed) index.set(key, [value]);
  else if (!listed.includes(value)) listed.push(value);
}

function toPoint(latitude = '', longitude = ''): Point | undefined {
  return latitude === '' ? undefined : { latitude: Number(latitude), longitude: Number(longitude) };
}

/** Lines are `UF;name;latitude;longitude[;other spelling]`. */
for (const line of brazil.municipalities) {
  const [state = '', name = '', latitude, longitude, alias] = line.split(';');
  const seat = toPoint(latitude, longitude);
  const municipality: Municipality = { name, state, districts: new Map(), ...(seat && { seat }) };
  add(byName, nameKey(name), municipality);
  if (alias !== undefined) add(byName, nameKey(alias), municipality);
}

/** Lines are `UF;municipality;latitude;longitude;district`. */
for (const line of brazil.districts) {
  const [state = '', owner = '', latitude, longitude, name = ''] = line.split(';');
  const municipality = municipalityNamed(nameKey(owner), state);
  const at = toPoint(latitude, longitude);
  if (municipality === undefined || at === undefined) continue;
  const key = nameKey(name);
  municipality.districts.set(key, { name, ...at });
  add(districtOwners, key, municipality);
}

function looseNamesOf(state: string): Map<string, Municipality[]> {
  const index = new Map<string, Municipality[]>();
  for (const [key, municipalities] of byName)
    for (const municipality of municipalities)
      if (municipality.state === state) add(index, looseKey(key.split(' ')), municipality);
  return index;
}

/** Municipalities of that name key, over all states. */
export function municipalitiesNamed(key: string): readonly Municipality[] {
  return byName.get(key) ?? [];
}

/** The municipality of that name key in one state; names do not repeat within a state. */
export function municipalityNamed(key: string, state: string): Municipality | undefined {
  return byName.get(key)?.find((municipality) => municipality.state === state);
}

/** The one municipality of the state whose name reads like these words in another spelling. */
export function municipalitySpelledLike(words: readonly string[], state: string): Municipality | undefined {
  const index = byLooseName.get(state) ?? looseNamesOf(state);
  byLooseName.set(state, index);
  const [only, ...others] = index.get(looseKey(words)) ?? [];
  return others.length === 0 ? only : undefined;
}

/** Municipalities that have a district of that name key. */
export function ownersOfDistrict(key: string): readonly Municipality[] {
  return districtOwners.get(key) ?? [];
}

/** Every municipality, in the order of the list. */
export function allMunicipalities(): Municipality[] {
  return [...new Set([...byName.values()].flat())];
}
