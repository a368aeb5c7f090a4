import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import type { components } from '../../../generated/operator.js';
import { throwUnreadable, wrongUsage } from '../errors.js';

type Zones = components['schemas']['Zones'];

// Zones as a sheet, headed service,up_to_km,1000,5000,per_further_kg: prices under their weights in grams, with a row
// for each zone of express and, where there is economy, one for each of that.

export function zonesCsv(zones: Zones | undefined): string {
  const { weights = [], rows = [] } = zones ?? {};
  const lines = rows.flatMap(({ up_to_km: km, economy, ...express }) => [
    ['express', km, ...express.prices, express.per_further_kg],
    ...(economy ? [['economy', km, ...economy.prices, economy.per_further_kg]] : []),
  ]);
  return [['service', 'up_to_km', ...weights, 'per_further_kg'], ...lines]
    .map((line) => `${line.join(',')}\n`)
    .join('');
}

/** Reads zones, separated by commas or semicolons; amounts may be `9,90`. The service judges what they say. */
export async function readZones(file: string, stdin: NodeJS.ReadableStream): Promise<Zones> {
  const content = file === '-' ? await text(stdin) : await readFile(file, 'utf8').catch(throwUnreadable);
  const [head = [], ...lines] = sheetOf(content);
  const [service, upToKm, ...columns] = head;
  if (service !== 'service' || upToKm !== 'up_to_km' || columns.at(-1) !== 'per_further_kg')
    throw wrongUsage('The first line must be service,up_to_km, the weights in grams, and per_further_kg.');
  const read = lines.map(([name = '', km = '', ...cells], at) => {
    const amounts = cells.map((cell) => cell.replace(',', '.'));
    const isWhole = ['express', 'economy'].includes(name) && /^\d{1,6}$/.test(km) && cells.length === columns.length;
    if (!isWhole)
      throw wrongUsage(`Line ${at + 2} must have express or economy, kilometres and ${columns.length} prices.`);
    return { name, km: Number(km), prices: amounts.slice(0, -1), per_further_kg: amounts.at(-1) ?? '' };
  });
  const economies = new Map(read.flatMap(({ name, km, ...row }) => (name === 'economy' ? [[km, row]] : [])));
  const rows = read
    .filter(({ name }) => name === 'express')
    .map(({ name: _, km, ...express }) => {
      const economy = economies.get(km);
      economies.delete(km);
      return { up_to_km: km, ...express, ...(economy && { economy }) };
    });
  const [stray] = economies.keys();
  if (stray !== undefined) throw wrongUsage(`Economy up to ${stray} km has no row of express.`);
  return { weights: columns.slice(0, -1).map(Number), rows };
}

function sheetOf(content: string): string[][] {
  const delimiter = content.split('\n', 1)[0]?.includes(';') ? ';' : ',';
  try {
    return parse(content, { bom: true, delimiter, trim: true, skip_empty_lines: true });
  } catch (error) {
    throw wrongUsage(`The zones are not CSV: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
