import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Option } from 'commander';
import { newId } from '../../../base/ids.js';
import { type MovementFormat, movementFormats, movementOf } from '../../../base/movement-files/rows.js';
import { command, oneOf, option, type Session } from '../../command.js';
import { CommandError, unreadable, wrongUsage } from '../../errors.js';
import { type ImportSummary, importMovements, movementSender, reader } from '../movement-import.js';
import { pictureFile, putPicture } from '../pictures.js';

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
  proofName: 'proof.recipient_name',
  proofDocument: 'proof.recipient_document',
  position: 'proof.position',
  pin: 'pin',
} as const;

const options: readonly Option[] = [
  option('--package <package>', 'package that moved'),
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
  option('--proof-name <name>', 'who received the package (status 5)'),
  option('--proof-document <digits>', 'the last 2 to 4 digits of a document of theirs'),
  option('--position <lat,lon[,metres]>', 'where the courier was, and how far off that may be'),
  option('--proof-photo <path>', 'photo of the delivery: JPEG, PNG or WebP'),
  option('--proof-signature <path>', 'signature of the recipient: JPEG, PNG or WebP'),
  option('--pin <digits>', 'what the recipient told, of a package with a PIN'),
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
    example: '--package 7ZK3M9P2QP1S --status 3 --city Campinas --state SP',
    options,
    run: async (session, { file, format: namedFormat, ...one }) => {
      if (file === undefined) return recordOne(session, one);
      if (Object.keys(one).length > 0) throw wrongUsage('Give either --file or the options of one movement.');
      const format = namedFormat ?? (file.endsWith('.csv') ? 'csv' : 'ndjson');
      return recordAll(session, file === '-' ? { input: session.terminal.stdin } : await openFile(file), format);
    },
  }),
};

async function recordOne(session: Session, { id, at, proofPhoto, proofSignature, ...texts }: RecordOptions) {
  const photo = proofPhoto === undefined ? undefined : await pictureFile(proofPhoto);
  const signature = proofSignature === undefined ? undefined : await pictureFile(proofSignature);
  const byField = Object.entries(fields).map(([name, field]) => [field, texts[name]]);
  const whenAndWho = { id: id ?? newId(), happened_at: at ?? new Date().toISOString() };
  const checked = reader.check({ ...whenAndWho, ...movementOf(Object.fromEntries(byField)) });
  if ('fault' in checked) throw wrongUsage(`The movement ${checked.fault}.`);
  const [result] = await movementSender(session)([checked.movement]);
  if (result) session.print.record(result);
  if (result?.result === 'refused') throw new CommandError('The movement was refused.', 1);
  const key = checked.movement.loggi_key;
  if (photo) await putPicture(session, 'photo', key, photo);
  if (signature) await putPicture(session, 'signature', key, signature);
}

interface Source {
  input: Readable & { bytesRead?: number };
  size?: number;
}

async function openFile(file: string): Promise<Source> {
  const { size } = await stat(file).catch((error: unknown) => {
    throw unreadable(error);
  });
  return { input: createReadStream(file), size };
}

async function recordAll(session: Session, { input, size }: Source, format: MovementFormat): Promise<void> {
  const { print } = session;
  let sentCount = 0;
  const bar = print.progress(size);
  const progress = ({ recorded, duplicate, refused }: ImportSummary) => {
    sentCount = recorded + duplicate + refused;
    bar.at(input.bytesRead ?? 0, `${sentCount} movements`);
  };
  const rows = reader.rows(input, format, print.say);
  const summary = await importMovements(rows, { send: movementSender(session), progress }).catch((error: unknown) => {
    bar.end();
    if (sentCount > 0) print.say(`Stopped after ${sentCount} movements; run again, none is recorded twice.`);
    throw unreadable(error);
  });
  bar.end();
  const { refusals, ...counts } = summary;
  print.record(summary, counts);
  print.rows(refusals, ['line', 'code', 'message', 'id']);
  if (summary.refused > 0) throw new CommandError(`${summary.refused} movements were refused.`, 1);
}
