/** The sources that the tables of places are built from, as rows (scripts/places/sources/README.md). */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';

/** An address with a point, as OpenStreetMap has it; what it does not say is empty. */
export interface AddressedPoint {
  ibge: string;
  street: string;
  number: string;
  neighbourhood: string;
  cep: string;
  latitude: number;
  longitude: number;
}

export interface MunicipalityRow {
  ibge: string;
  name: string;
  uf: string;
  latitude: string;
  longitude: string;
}

export interface AliasRow {
  alias: string;
  uf: string;
  municipality_key: string;
  kind: string;
}

/**
 * Correios' range of a municipality, or a run of existing CEPs; `ibge` is empty where a run's place is not a
 * municipality.
 */
export interface CepRow {
  cep_from: string;
  cep_to: string;
  ibge: string;
  municipality: string;
  uf: string;
}

/** A neighbourhood and the first digits of some of its CEPs. */
export interface NeighbourhoodRow {
  ibge: string;
  municipality: string;
  uf: string;
  neighbourhood: string;
  cep5: string;
  ceps: string;
}

function rows<Row>(file: string): Row[] {
  const packed = readFileSync(new URL(`sources/${file}.csv.gz`, import.meta.url));
  return parse(gunzipSync(packed), { columns: true });
}

export const municipalityRows = (): MunicipalityRow[] => rows('municipalities');
export const aliasRows = (): AliasRow[] => rows('municipality-aliases');
export const cepRanges = (): CepRow[] => rows('cep-ranges');
export const cepRuns = (): (CepRow & { ceps: string })[] => rows('odbl/cep-runs');
export const neighbourhoodRows = (): NeighbourhoodRow[] => rows('odbl/neighbourhood-cep5');

export function addressedPoints(): AddressedPoint[] {
  const points = rows<AddressedPoint & { latitude: string; longitude: string }>('odbl/addressed-points');
  return points.map((point) => ({ ...point, latitude: Number(point.latitude), longitude: Number(point.longitude) }));
}
