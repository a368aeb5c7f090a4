import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { formatMoney } from '../../base/money.js';
import type { AskedTable } from './rate-tables.js';

export type TableLayout = 'malote' | 'vtex';

type MadeTable = Extract<AskedTable, { kind: 'made' }>;

interface StoredTable {
  weights: number[];
  /** First and last CEP, workdays, and a price for each band. */
  rows: [from: number, to: number, workdays: number, ...prices: number[]][];
}

const headings: Readonly<Record<TableLayout, readonly string[]>> = {
  malote: ['cep_from', 'cep_to', 'weight_from', 'weight_to', 'price', 'workdays'],
  // https://help.vtex.com/tutorial/building-a-freight-spreadsheet--tutorials_127
  vtex: [
    ...['ZipCodeStart', 'ZipCodeEnd', 'PolygonName', 'WeightStart', 'WeightEnd', 'AbsoluteMoneyCost'],
    ...['PricePercent', 'PriceByExtraWeight', 'MaxVolume', 'TimeCost', 'Country', 'MinimumValueInsurance'],
  ],
};

/** Cubic centimetres of the largest parcel that the contracts allow, rounded up. */
const MAX_VOLUME = 300_000;
const ROWS_AT_ONCE = 200;

const cep = (digits: number): string => String(digits).padStart(8, '0');

/** Yields the file in parts. */
export async function* tableFile(table: MadeTable, layout: TableLayout): AsyncGenerator<string> {
  const { weights, rows }: StoredTable = JSON.parse((await promisify(gunzip)(table.file)).toString());
  const charge = [formatMoney(table.percent ?? 0), formatMoney(table.leastCentavos ?? 0)];
  const lineOf = (row: StoredTable['rows'][number], band: number): string => {
    const [from, to, workdays, ...prices] = row;
    const [lower, upper] = [weights[band - 1] ?? 0, weights[band] ?? 0];
    const price = formatMoney(prices[band] ?? 0);
    if (layout === 'malote') return [cep(from), cep(to), lower, upper, price, workdays].join(',');
    const start = band === 0 ? 0 : lower + 1;
    const [percent, least] = charge;
    const time = `${workdays}.00:00:00`;
    return [cep(from), cep(to), '', start, upper, price, percent, 0, MAX_VOLUME, time, 'BRA', least].join(',');
  };
  yield `${headings[layout].join(',')}\r\n`;
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const lines = rows.slice(at, at + ROWS_AT_ONCE).flatMap((row) => weights.map((_, band) => lineOf(row, band)));
    yield `${lines.join('\r\n')}\r\n`;
  }
}
