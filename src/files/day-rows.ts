import { csvOf, type Line, linesOfSheet, SheetError } from './sheets.js';

// The carrier's own days off as a sheet, with a line for each day and place. A refusal of `closed.7` means line 9.

export const dayColumns = ['date', 'name', 'state', 'municipality'] as const;

/** Most lines that are read: one more than the service accepts, so that the service refuses the file. */
const MAX_LINES = 20_001;

export interface SheetDay {
  /** `YYYY-MM-DD`. */
  date: string;
  name?: string;
  state?: string;
  /** The IBGE code. */
  municipality?: number;
}

/** Reads days off. The service checks their content. Throws SheetError. */
export async function daysOfCsv(bytes: Uint8Array): Promise<SheetDay[]> {
  const lines = await linesOfSheet(bytes, { columns: dayColumns, maxLines: MAX_LINES });
  return lines.map(({ line, number }) => dayOf(line, number));
}

function dayOf({ date = '', name, state, municipality }: Line<(typeof dayColumns)[number]>, number: number): SheetDay {
  if (municipality !== undefined && !/^\d{7}$/.test(municipality))
    throw new SheetError(number, 'municipality', 'must be an IBGE code of 7 digits');
  return {
    date: isoDate(date, number),
    ...(name !== undefined && { name }),
    ...(state !== undefined && { state: state.toUpperCase() }),
    ...(municipality !== undefined && { municipality: Number(municipality) }),
  };
}

/** Converts a day to ISO 8601. Brazilian spreadsheets write 25/01/2027. */
function isoDate(date: string, number: number): string {
  const [, day = '', month = '', year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(date) ?? [];
  if (year !== undefined) return [year, month.padStart(2, '0'), day.padStart(2, '0')].join('-');
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) throw new SheetError(number, 'date', 'must be a day such as 2027-01-25');
  return date;
}

/** Writes days off in the form that `daysOfCsv` reads. */
export const csvOfDays = (days: readonly SheetDay[]): string =>
  csvOf(
    dayColumns,
    days.map(({ municipality, ...day }) => ({
      ...day,
      ...(municipality !== undefined && { municipality: String(municipality) }),
    })),
  );

/** Joins the days of a file with those of a calendar in other years. So a file of a year replaces that year. */
export function withDaysOf<Day extends SheetDay>(file: readonly SheetDay[], calendar: readonly Day[]) {
  const years = new Set(file.map(({ date }) => date.slice(0, 4)));
  return [...file, ...calendar.filter(({ date }) => !years.has(date.slice(0, 4)))];
}
