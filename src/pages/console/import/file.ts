import type { components } from '../../../../generated/operator.js';
import document from '../../../../generated/operator.openapi.json' with { type: 'json' };
import { isFields } from '../../../base/values.js';
import { movementOf, movementReader } from '../../../files/movement-rows.js';
import { plainDate, plainTime } from '../../dates.js';
import { type Row, type Sheet, type SheetForm, templateOf } from '../../shared/sheet.js';
import { valueWords } from '../../texts.js';

export type MovementInput = components['schemas']['MovementInput'];

export const reader = movementReader<MovementInput>(document);

interface MovementColumn {
  /** The path of the field in the contract, with dots for nested fields. A file may use it as a heading, too. */
  path: string;
  column: string;
  example: string;
  read?: (text: string) => string;
}

const bare = (text: string): string => text.trim().toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

/** Reads the outcome of an attempt from its name in Portuguese or English. Another text is returned unchanged. */
function outcomeOf(text: string): string {
  const names = Object.entries(valueWords.attemptOutcomes);
  return (
    names.find(([, words]) => words && Object.values(words).some((word) => bare(word) === bare(text)))?.[0] ?? text
  );
}

/** The columns of the template file, in order. */
const columns: readonly MovementColumn[] = [
  { path: 'barcode', column: 'codigo_de_barras', example: '378912345678901232' },
  { path: 'tracking_code', column: 'codigo_de_rastreio', example: '' },
  { path: 'status_code', column: 'situacao', example: '17' },
  { path: 'happened_at', column: 'quando', example: '18/11/2026 14:03', read: plainTime },
  { path: 'location.city', column: 'cidade', example: 'São Paulo' },
  { path: 'location.state', column: 'uf', example: 'SP' },
  { path: 'attempt.outcome', column: 'tentativa', example: '', read: outcomeOf },
  { path: 'attempt.next_on', column: 'proxima_tentativa', example: '', read: plainDate },
  { path: 'action_required.reason_label', column: 'motivo', example: '' },
  { path: 'action_required.reason_description', column: 'motivo_detalhe', example: '' },
  { path: 'pickup_agency.address', column: 'agencia_endereco', example: '' },
  { path: 'pickup_agency.city', column: 'agencia_cidade', example: '' },
  { path: 'pickup_agency.state', column: 'agencia_uf', example: '' },
  { path: 'pickup_agency.postal_code', column: 'agencia_cep', example: '' },
];

/** Columns that a file may have, although the template has none of them. */
const others: readonly MovementColumn[] = [
  { path: 'expected.from', column: 'previsao_de', example: '', read: plainTime },
  { path: 'expected.to', column: 'previsao_ate', example: '', read: plainTime },
  { path: 'proof.delivered_at', column: 'entregue_em', example: '', read: plainTime },
];

const all = [...columns, ...others];

const packageNames = ['barcode', 'tracking_code', 'loggi_key'];

export const movementForm: SheetForm = {
  columnOf: (heading, typed) =>
    all.find(({ column }) => column === heading)?.column ?? reader.columns().find((path) => path === typed.trim()),
  missing: (headings) => {
    const paths = headings.map(pathOf);
    const needed = ['status_code', 'happened_at'].filter((path) => !paths.includes(path));
    return (packageNames.some((name) => paths.includes(name)) ? needed : ['barcode', ...needed]).map(
      (path) => all.find((each) => each.path === path)?.column ?? path,
    );
  },
  maxRows: 10_000,
};

const pathOf = (heading: string): string => all.find(({ column }) => column === heading)?.path ?? heading;

/** The heading of the column that holds a field of the contract. Empty if the sheet has no such column. */
export function columnOf({ headings }: Pick<Sheet, 'headings'>, field: string): string {
  const isIn = (path: string) => headings.find((heading) => pathOf(heading) === path);
  return isIn(field) ?? headings.find((heading) => pathOf(heading).startsWith(`${field}.`)) ?? '';
}

/** The only heading of a JSON Lines file. Its cell is the whole movement. */
export const JSON_COLUMN = 'json';

/** Makes a movement of the contract from a row. The contract is checked later. */
export function movementOfRow({ headings }: Pick<Sheet, 'headings'>, { cells }: Row): unknown {
  if (headings[0] === JSON_COLUMN) return parsed(cells[0] ?? '');
  const fields = headings.flatMap((heading, at) => {
    const text = cells[at] ?? '';
    const path = pathOf(heading);
    const read = all.find((each) => each.path === path)?.read;
    return heading === '' ? [] : [[path, read && text !== '' ? read(text) : text] as const];
  });
  return movementOf(Object.fromEntries(fields));
}

function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export const templateFile = (): string => templateOf(columns);
