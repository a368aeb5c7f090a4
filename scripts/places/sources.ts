/** The sources that the tables of places are built from, as rows (scripts/places/sources/README.md). */
import { readdirSync, readFileSync } from 'node:fs';
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

/** A street in one neighbourhood, and its CEPs there, which a space separates. */
export interface StreetRow {
  uf: string;
  city: string;
  street: string;
  neighbourhood: string;
  ceps: string;
}

/** A numbered address of a city's register; its neighbourhood is empty where the street's name does not say it. */
export type RegisterPoint = Omit<AddressedPoint, 'cep'> & { cep: '' };

function rows<Row>(file: string): Row[] {
  const packed = readFileSync(new URL(`sources/${file}.csv.gz`, import.meta.url));
  return parse(gunzipSync(packed), { columns: true });
}

export const municipalityRows = (): MunicipalityRow[] => rows('municipalities');
export const aliasRows = (): AliasRow[] => rows('municipality-aliases');
export const cepRanges = (): CepRow[] => rows('cep-ranges');
export const cepRuns = (): (CepRow & { ceps: string })[] => rows('odbl/cep-runs');
export const neighbourhoodRows = (): NeighbourhoodRow[] => rows('odbl/neighbourhood-cep5');

export const streetRows = (): StreetRow[] => rows('odbl/streets');

/** Every register in sources/registers; a file's name begins with the IBGE code. */
export function registerPoints(): RegisterPoint[] {
  const files = readdirSync(new URL('sources/registers/', import.meta.url)).filter((file) => file.endsWith('.csv.gz'));
  return files.sort().flatMap((file) => {
    const points = rows<Record<'street' | 'number' | 'latitude' | 'longitude', string>>(
      `registers/${file.slice(0, -7)}`,
    );
    return points.map(({ street, number, latitude, longitude }) => ({
      ibge: file.slice(0, 7),
      ...registeredStreet(street),
      number,
      cep: '' as const,
      latitude: Number(latitude),
      longitude: Number(longitude),
    }));
  });
}

/** `RUA GERALDO CALDERARO,CB` has its title last; `RUA B-5 (JARDIM PROGRESSO)`, `PAULISTA - JUVINOPOLIS` say where. */
export function registeredStreet(written: string): { street: string; neighbourhood: string } {
  const [, street = '', after, inside = ''] = /^(.+?)(?: - (.+)| *\((.*?)\)?)?$/.exec(written) ?? [];
  return { street: street.replace(/^(\S+ )(.+),(\S+)$/, '$1$3 $2'), neighbourhood: after ?? inside };
}

export function addressedPoints(): AddressedPoint[] {
  const points = rows<AddressedPoint & { latitude: string; longitude: string }>('odbl/addressed-points');
  return points.map((point) => ({ ...point, latitude: Number(point.latitude), longitude: Number(point.longitude) }));
}
