import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Option } from 'commander';
import { newId } from '../../../base/ids.js';
import { bodyOf } from '../client.js';
import { command, oneOf, option, type Session } from '../command.js';
import { CommandError, wrongUsage } from '../errors.js';
import { type ImportSummary, importMovements } from '../movements/import.js';
import {
  checkMovement,
  type MovementFormat,
  type MovementInput,
  movementFormats,
  movementOf,
  movementRows,
} from '../movements/rows.js';

interface RecordOptions {
  file?: string;
  format?: MovementFormat;
  at?: string;
  id?: string;
  [field: string]: string | undefined;
}

/** Option → the contract's field, dotted. */
const fields = {
  package: 'loggi_key',
  status: 'status_code',
  city: 'location.city',
  state: 'location.state',
  reasonLabel: 'action_required.reason_label',
  reasonDescription: 'action_required.reason_description',
  agencyAddress: 'pickup_agency.address',
  agencyCity: 'pickup_agency.city',
  agencyState: 'pickup_agency.state',
  agencyPostalCode: 'pickup_agency.postal_code',
} as const;

const options: readonly Option[] = [
  option('--package <loggi-key>', 'package that moved'),
  option('--status <code>', 'its new status'),
  option('--id <uuid>', 'id of the movement: sent again it is a duplicate (default: a new one)'),
  option('--at <time>', 'when it happened, RFC 3339 (default: now)'),
  option('--city <name>', 'where the package is'),
  option('--state <uf>', 'where the package is'),
  option('--reason-label <text>', 'what the shipper must resolve, in short'),
  option('--reason-description <text>', 'what the shipper must resolve'),
  option('--agency-address <text>', 'postal agency where the package waits'),
  option('--agency-city <name>', 'city of the agency'),
  option('--agency-state <uf>', 'state of the agency'),
  option('--agency-postal-code <digits>', 'postal code of the agency, 8 digits'),
  option(
    '--file <path>',
    "many movements in UTF-8, NDJSON or CSV (, or ;) in the contract's names; - is standard input",
  ),
  oneOf('--format <format>', 'format of the file (default: by its ending, else ndjson)', movementFormats),
];

export const movements = {
  recordMovements: command<RecordOptions>({
    usage: 'movements record',
    summary: 'Record that packages moved: one by options, or many from a file.',
    example: 'movements record --package 01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53 --status 3 --city Campinas --state SP',
    options,
    run: async (session, given) => {
      const { file, format: named, ...one } = given;
      if (file === undefined) return recordOne(session, one);
      if (Object.keys(one).length > 0) throw wrongUsage('Give either --file or the options of one movement.');
      const format = named ?? (file.endsWith('.csv') ? 'csv' : 'ndjson');
      return recordAll(session, file === '-' ? { input: session.terminal.stdin } : await opened(file), format);
    },
  }),
};

async function recordOne({ operator, print }: Session, { id, at, ...given }: RecordOptions): Promise<void> {
  const named = Object.entries(fields).map(([option, field]) => [field, given[option]]);
  const whenAndWho = { id: id ?? newId(), happened_at: at ?? new Date().toISOString() };
  const checked = checkMovement({ ...whenAndWho, ...movementOf(Object.fromEntries(named)) });
  if ('fault' in checked) throw wrongUsage(`The movement ${checked.fault}.`);
  const body = { movements: [checked.movement] };
  const { results } = await bodyOf(operator.POST('/operator/v1/movements', { body }));
  const [result] = results;
  if (result) print.record(result);
  if (result?.result === 'refused') throw new CommandError('The movement was refused.', 1);
}

interface Source {
  input: Readable & { bytesRead?: number };
  /** Bytes, where they are known. */
  size?: number;
}

async function opened(file: string): Promise<Source> {
  const { size } = await stat(file).catch((error: unknown) => {
    throw fileFailure(error);
  });
  return { input: createReadStream(file), size };
}

async function recordAll({ operator, print }: Session, { input, size }: Source, format: MovementFormat): Promise<void> {
  let sent = 0;
  const shown = print.progress(size);
  const progress = ({ recorded, duplicate, refused }: ImportSummary) => {
    sent = recorded + duplicate + refused;
    shown.at(input.bytesRead ?? 0, `${sent} movements`);
  };
  const send = async (movements: MovementInput[]) =>
    (await bodyOf(operator.POST('/operator/v1/movements', { body: { movements } }))).results;
  const summary = await importMovements(movementRows(input, format, print.say), { send, progress }).catch(
    (error: unknown) => {
      shown.end();
      if (sent > 0) print.say(`Stopped after ${sent} movements; run again, none is recorded twice.`);
      throw fileFailure(error);
    },
  );
  shown.end();
  const { refusals, ...counts } = summary;
  print.record(summary, counts);
  print.rows(refusals, {
    line: (refusal) => refusal.line,
    code: (refusal) => refusal.code,
    message: (refusal) => refusal.message,
    id: (refusal) => refusal.id,
  });
  if (summary.refused > 0) throw new CommandError(`${summary.refused} movements were refused.`, 1);
}

/** A file that cannot be read is the caller's mistake. */
function fileFailure(error: unknown): unknown {
  const ofSystem = typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
  return ofSystem ? wrongUsage(`The file cannot be read: ${error.message}`) : error;
}
