/** The sources that the tables of places are built from, as rows (scripts/places/sources/README.md). */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';

type Row<Column extends string> = Record<Column, string>;

/** An address with a point, as OpenStreetMap or a city's register has it; what it does not say is empty. */
export type AddressedPoint = Row<'ibge' | 'street' | 'number' | 'neighbourhood' | 'cep'> &
  Record<'latitude' | 'longitude', number>;
export type MunicipalityRow = Row<'ibge' | 'name' | 'uf' | 'latitude' | 'longitude'>;
export type AliasRow = Row<'alias' | 'uf' | 'municipality_key' | 'kind'>;
/** Correios' range of a municipality, or a run of existing CEPs; `ibge` is empty for a run of another place. */
export type CepRow = Row<'cep_from' | 'cep_to' | 'ibge' | 'municipality' | 'uf'>;
/** A neighbourhood and the first digits of some of its CEPs. */
export type NeighbourhoodRow = Row<'ibge' | 'municipality' | 'uf' | 'neighbourhood' | 'cep5' | 'ceps'>;
/** A street in one neighbourhood, and its CEPs there, which a space separates. */
export type StreetRow = Row<'uf' | 'city' | 'street' | 'neighbourhood' | 'ceps'>;

function rows<T extends Row<string>>(file: string): T[] {
  const packed = readFileSync(new URL(`sources/${file}`, import.meta.url));
  return parse(gunzipSync(packed), { columns: true });
}

export const municipalityRows = (): MunicipalityRow[] => rows('municipalities.csv.gz');
export const aliasRows = (): AliasRow[] => rows('municipality-aliases.csv.gz');
export const cepRanges = (): CepRow[] => rows('cep-ranges.csv.gz');
export const cepRuns = (): (CepRow & Row<'ceps'>)[] => rows('odbl/cep-runs.csv.gz');
export const neighbourhoodRows = (): NeighbourhoodRow[] => rows('odbl/neighbourhood-cep5.csv.gz');
export const streetRows = (): StreetRow[] => rows('odbl/streets.csv.gz');

const withPoint = <T extends Row<'latitude' | 'longitude'>>(row: T) => {
  return { ...row, latitude: Number(row.latitude), longitude: Number(row.longitude) };
};

export const addressedPoints = (): AddressedPoint[] =>
  rows<Row<keyof AddressedPoint>>('odbl/addressed-points.csv.gz').map(withPoint);

/** Every register in sources/registers; a file's name begins with the IBGE code. */
export const registerPoints = (): AddressedPoint[] =>
  readdirSync(new URL('sources/registers/', import.meta.url))
    .filter((file) => file.endsWith('.csv.gz'))
    .sort()
    .flatMap((file) =>
      rows<Row<'street' | 'number' | 'latitude' | 'longitude'>>(`registers/${file}`).map((row) => ({
        ...withPoint(row),
        ...registeredStreet(row.street),
        ibge: file.slice(0, 7),
        cep: '',
      })),
    );

/** `RUA GERALDO CALDERARO,CB` has its title last; `RUA B-5 (JARDIM PROGRESSO)`, `PAULISTA - JUVINOPOLIS` say where. */
export function registeredStreet(written: string): { street: string; neighbourhood: string } {
  const [, street = '', after, inside = ''] = /^(.+?)(?: - (.+)| *\((.*?)\)?)?$/.exec(written) ?? [];
  return { street: street.replace(/^(\S+ )(.+),(\S+)$/, '$1$3 $2'), neighbourhood: after ?? inside };
}
