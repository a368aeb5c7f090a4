import { omitUndefined } from '../base/every-key.js';
import { type Weekday, weekdays } from '../base/weekdays.js';
import { csvOf, type Line as LineOf, linesOfSheet, SheetError } from './sheets.js';

// Service areas as a sheet, with a line for each place: a state, a municipality or a range of CEPs. A space separates
// the entries of a list. A refusal of `areas.7` means line 9.

export const areaColumns = [
  'name',
  'state',
  'municipality',
  'postal_code_from',
  'postal_code_to',
  'collects',
  'delivers',
  'services',
  'weekdays',
  'extra_workdays',
] as const;
type Column = (typeof areaColumns)[number];
type Line = LineOf<Column>;

/** Most lines that are read: one more than the service accepts, so that the service refuses the file. */
const MAX_LINES = 20_001;

export interface SheetArea {
  name?: string;
  states?: string[];
  municipalities?: number[];
  postal_codes?: { from: string; to: string }[];
  collects?: boolean;
  delivers?: boolean;
  services?: ('express' | 'economy')[];
  weekdays?: Weekday[];
  extra_workdays?: number;
}

/** Reads areas. The service checks their content. Throws SheetError. */
export async function areasOfCsv(bytes: Uint8Array): Promise<SheetArea[]> {
  const lines = await linesOfSheet(bytes, { columns: areaColumns, maxLines: MAX_LINES });
  return lines.map(({ line, number }) => areaOf(line, number));
}

function areaOf(line: Line, number: number): SheetArea {
  const wrong = (column: Column, problem: string) => new SheetError(number, column, problem);
  const { name, state, municipality, postal_code_from: from, postal_code_to: to, extra_workdays: extra } = line;
  if ((from === undefined) !== (to === undefined)) throw wrong('postal_code_to', 'a range has both ends');
  const flag = (column: 'collects' | 'delivers') => {
    const said = line[column]?.toLowerCase();
    if (said !== undefined && !(said in flags)) throw wrong(column, 'must be yes or no');
    return said === undefined ? undefined : flags[said];
  };
  const words = <T extends string>(column: 'services' | 'weekdays', known: readonly T[]): T[] | undefined =>
    line[column]?.split(' ').map((word) => {
      const value = known.find((each) => each === word.toLowerCase());
      if (value === undefined) throw wrong(column, `must be of ${known.join(', ')}`);
      return value;
    });
  if (municipality !== undefined && !/^\d{7}$/.test(municipality))
    throw wrong('municipality', 'must be an IBGE code of 7 digits');
  if (extra !== undefined && !/^\d{1,2}$/.test(extra)) throw wrong('extra_workdays', 'must be a whole number');
  return omitUndefined<SheetArea>({
    name,
    states: state === undefined ? undefined : [state.toUpperCase()],
    municipalities: municipality === undefined ? undefined : [Number(municipality)],
    postal_codes: from === undefined || to === undefined ? undefined : [{ from: digitsOf(from), to: digitsOf(to) }],
    collects: flag('collects'),
    delivers: flag('delivers'),
    services: words('services', ['express', 'economy'] as const),
    weekdays: words('weekdays', weekdays),
    extra_workdays: extra === undefined ? undefined : Number(extra),
  });
}

const flags: Readonly<Record<string, boolean>> = { yes: true, no: false, sim: true, não: false, nao: false };

/** Restores the leading zero of a CEP, which spreadsheets drop. */
const digitsOf = (postalCode: string): string => postalCode.replace(/[.-]/g, '').padStart(8, '0');

interface StoredArea {
  name: string;
  states: readonly string[];
  municipalities: readonly number[];
  postal_codes: readonly { from: string; to: string }[];
  collects: boolean;
  delivers: boolean;
  services: readonly string[];
  weekdays: readonly string[];
  extra_workdays: number;
}

/** Writes areas in the form that `areasOfCsv` reads. */
export function csvOfAreas(areas: readonly StoredArea[]): string {
  const lines = areas.flatMap((area) => {
    const terms = {
      name: area.name,
      collects: area.collects ? 'yes' : 'no',
      delivers: area.delivers ? 'yes' : 'no',
      services: area.services.join(' '),
      weekdays: area.weekdays.join(' '),
      extra_workdays: String(area.extra_workdays),
    };
    return placesOf(area).map((place): Line => ({ ...place, ...terms }));
  });
  return csvOf(areaColumns, lines);
}

/** The places of an area, in the order of their lines. */
export const placesOf = ({ states, municipalities, postal_codes: ranges }: StoredArea): Line[] => [
  ...states.map((state) => ({ state })),
  ...municipalities.map((code) => ({ municipality: String(code) })),
  ...ranges.map(({ from, to }) => ({ postal_code_from: from, postal_code_to: to })),
];
