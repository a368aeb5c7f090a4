import { grouped } from '../../export.js';
import { cellOf, type Row, type Sheet, type SheetForm, templateOf } from '../../shared/sheet.js';
import { fileOnlyFields, type OrderCreate, orderFields, orderOf, packageFields } from '../fields.js';

/** The columns of a file of orders. Each row is an order with one package. */
export const fileFields = [...orderFields, ...packageFields, ...fileOnlyFields];
const columns = fileFields.map(({ column }) => column);
export const REFERENCE = 'referencia';
const required = [REFERENCE, ...packageFields.flatMap(({ isRequired, column }) => (isRequired ? column : []))];
const columnsByPath = new Map(fileFields.map(({ path, column }) => [path, column]));

/** The column for a path of `createOrder`. Undefined if no column has it. */
export const columnOf = (path: string): string | undefined =>
  path.startsWith(FACT) ? path : columnsByPath.get(nameOf(path));

const nameOf = (path: string): string =>
  path.replace(/^packages\.0\./, '').replace(/\.location$/, '.location.latitude');

/** Prefix of the columns with the shipper's own metadata. The key follows. */
const FACT = 'metadata.';

/** Describes a file of orders: its columns, and which of them are needed. */
export const orderForm: SheetForm = {
  columnOf: (bare, heading) => {
    if (bare.startsWith(FACT)) return FACT + heading.slice(FACT.length);
    return columns.includes(bare) ? bare : undefined;
  },
  missing: (headings) => required.filter((column) => !headings.includes(column)),
  maxRows: 1_000,
};

/** Makes the order of a row. A row without a pickup gets the fields of `pickup`. */
export function orderOfRow(
  sheet: Pick<Sheet, 'headings'> & { pickup: Readonly<Record<string, string>> },
  row: Row,
): OrderCreate {
  const textOf = (path: string) => cellOf(sheet, row, columnOf(path));
  const pickup = textOf('pickups.0.address.address') === '' ? sheet.pickup : {};
  const order = orderOf((path) => textOf(path) || (pickup[path] ?? ''));
  const facts = sheet.headings.flatMap((heading) => {
    const value = heading.startsWith(FACT) ? cellOf(sheet, row, heading) : '';
    return value === '' ? [] : [[heading.slice(FACT.length), value] as const];
  });
  return facts.length === 0 ? order : { ...order, metadata: Object.fromEntries(facts) };
}

/** Groups the digits of a fiscal key, since a spreadsheet would keep only 15 of its 44 digits. */
export const shownCell = (heading: string, cell: string): string =>
  heading === columnOf('fiscal_document.key') ? grouped(cell.replaceAll(' ', '')) : cell;

export const templateFile = (): string => templateOf(fileFields);
