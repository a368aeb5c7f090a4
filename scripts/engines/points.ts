import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { type Point, TOWNS } from './extract.js';

/** Points of the extract's towns from a table `municipality, uf, street, number, neighbourhood, cep, latitude, longitude`, gzipped. */
export function readPoints(path: string): Point[] {
  const rows: Record<string, string>[] = parse(gunzipSync(readFileSync(path)), { columns: true });
  return rows
    .map(toPoint)
    .filter(
      ({ street, municipality, state }) =>
        street !== '' && TOWNS.some((town) => town.name === municipality && town.state === state),
    );
}

function toPoint(row: Record<string, string>): Point {
  const text = (column: string): string => row[column] ?? '';
  return {
    municipality: text('municipality'),
    state: text('uf'),
    street: text('street'),
    number: text('number'),
    neighbourhood: text('neighbourhood'),
    cep: text('cep'),
    latitude: Number(text('latitude')),
    longitude: Number(text('longitude')),
  };
}
