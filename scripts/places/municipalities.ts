/** Builds the list of municipalities, with their seats and other names. */
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey } from '../../src/routing/address/words.js';
import { geonamesMunicipalities } from './geonames.js';
import corrections from './sources/geonames-corrections.json' with { type: 'json' };
import { type AliasRow, aliasRows, type MunicipalityRow, municipalityRows } from './sources.js';

/** Two sources whose seats lie no further apart than this agree: degrees, about 8 km. */
const SEATS_AGREE = 0.075;

/** GeoNames is right in most cases of disagreement, as addresses nearby show. These are the exceptions. */
const WRONG_IN_GEONAMES = new Set(corrections.wrongSeats);

/** Kinds of other names that are nothing that people write: made by a program, or jokes and abbreviations. */
const NO_NAME = new Set(['alt orto auto', 'abrev']);

const geonames = geonamesMunicipalities();
const compare = new Intl.Collator('pt-BR').compare;
const coordinates = (latitude: string, longitude: string): string =>
  `${Number(latitude).toFixed(4)};${Number(longitude).toFixed(4)}`;

/** Lines `IBGE code;UF;name;latitude;longitude[;other name|…]`. */
export function municipalityLines(): string[] {
  const rows = municipalityRows();
  const aliases = aliasesByCode(rows);
  return rows
    .map((row) => {
      const name = nameOf(row);
      const others = new Map(
        [...writtenNames(row), ...(aliases.get(row.ibge) ?? [])].map((other) => [nameKey(other), other]),
      );
      others.delete(nameKey(name));
      const list = [...others.values()].sort(compare).join('|');
      return `${row.ibge};${row.uf};${name};${seatOf(row)}${list && `;${list}`}`;
    })
    .sort();
}

function nameOf(row: MunicipalityRow): string {
  return geonames.get(row.ibge)?.name ?? row.name;
}

/** Every name that the sources write; of `Augusto Severo (Campo Grande)` both. */
function writtenNames(row: MunicipalityRow): string[] {
  const seat = geonames.get(row.ibge)?.seat;
  return [nameOf(row), ...row.name.split(/[()]/).map((name) => name.trim()), ...(seat ? [seat.name] : [])].filter(
    Boolean,
  );
}

function seatOf({ ibge, latitude, longitude }: MunicipalityRow): string {
  const other = geonames.get(ibge)?.seat;
  const apart = other ? Math.hypot(Number(other.lat) - Number(latitude), Number(other.lng) - Number(longitude)) : 0;
  const takesOther = other && apart > SEATS_AGREE && !WRONG_IN_GEONAMES.has(ibge);
  return takesOther ? coordinates(other.lat, other.lng) : coordinates(latitude, longitude);
}

/**
 * The source of other names writes a municipality as `bom.jesus.goias`: without connectors, a full stop for a space.
 */
const matchKey = (uf: string, words: string[]): string => `${uf} ${looseKey(words).replaceAll(' ', '')}`;

function aliasesByCode(rows: readonly MunicipalityRow[]): Map<string, string[]> {
  const codes = new Map(
    rows.flatMap((row) => writtenNames(row).map((name) => [matchKey(row.uf, nameKey(name).split(' ')), row.ibge])),
  );
  const aliases = new Map<string, string[]>();
  for (const row of aliasRows().filter(({ kind }) => !NO_NAME.has(kind))) {
    const code = codes.get(matchKey(row.uf, row.municipality_key.split('.'))) ?? unknownOwner(row);
    aliases.set(code, [...(aliases.get(code) ?? []), row.alias]);
  }
  return aliases;
}

function unknownOwner({ alias, municipality_key }: AliasRow): never {
  throw new Error(`no municipality has the key ${municipality_key}, of which ${alias} is another name`);
}
