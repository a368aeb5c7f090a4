import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { newId } from '../../../base/ids.js';
import { faultsText, type MovementFormat, movementFormats, movementOf } from '../../../files/movement-rows.js';
import { command, type OptionsOf, oneOf, option, type Session } from '../../command.js';
import { CommandError, throwUnreadable, wrongUsage } from '../../errors.js';
import { type ImportSummary, importMovements, movementSender, reader } from '../movement-import.js';
import { pictureFile, putPicture } from './proofs.js';

/** Options of one movement, by the dotted path of their field in the contract. */
const fields = {
  loggi_key: option('--package <package>', 'package that moved'),
  status_code: option('--status <code>', 'its new status'),
  id: option('--id <uuid>', 'id of the movement: sent again it is a duplicate (default: a new one)'),
  happened_at: option('--at <time>', 'when it happened, RFC 3339 (default: now)'),
  'location.city': option('--city <name>', 'where the package is'),
  'location.state': option('--state <uf>', 'where the package is'),
  'action_required.reason_label': option('--reason-label <text>', 'what the shipper must resolve, in short'),
  'action_required.reason_description': option('--reason-description <text>', 'what the shipper must resolve'),
  'pickup_agency.address': option('--agency-address <text>', 'postal agency where the package waits'),
  'pickup_agency.city': option('--agency-city <name>', 'city of the agency'),
  'pickup_agency.state': option('--agency-state <uf>', 'state of the agency'),
  'pickup_agency.postal_code': option('--agency-postal-code <digits>', 'postal code of the agency, 8 digits'),
  'attempt.outcome': option('--attempt <outcome>', 'how an attempt to deliver failed: absent, refused, closed …'),
  'attempt.next_on': option('--next-on <date>', 'day of the next attempt'),
  'expected.from': option('--expected-from <time>', 'from when the delivery is expected, RFC 3339'),
  'expected.to': option('--expected-to <time>', 'until when it is expected'),
  'proof.recipient_name': option('--proof-name <name>', 'who received the package (status 5)'),
  'proof.recipient_document': option('--proof-document <digits>', 'the last 2 to 4 digits of a document of theirs'),
  'proof.position': option('--position <lat,lon[,metres]>', 'where the courier was, and how far off that may be'),
  photo: option('--proof-photo <path>', 'photo of the delivery: JPEG, PNG or WebP'),
  signature: option('--proof-signature <path>', 'signature of the recipient: JPEG, PNG or WebP'),
  pin: option('--pin <digits>', 'what the recipient told, of a package with a PIN'),
};

const { loggi_key: _package, photo: _photo, signature: _signature, pin: _pin, ...others } = fields;

/** Options of a movement whose package is already known. */
export const movementOptions = others;

/** Makes a movement of the options. Throws CommandError. */
export function movementFrom(given: Readonly<Record<string, string | undefined>>) {
  const checked = reader.check({ id: newId(), happened_at: new Date().toISOString(), ...movementOf(given) });
  if ('faults' in checked) throw wrongUsage(`The movement ${faultsText(checked.faults)}.`);
  return checked.movement;
}

export const movements = {
  recordMovements: command({
    usage: 'movements record',
    summary: 'Record that packages moved: one by options, or many from a file.',
    example: '--package 7ZK3M9P2QP1S --status 3 --city Campinas --state SP',
    options: {
      ...fields,
      file: option(
        '--file <path>',
        "many movements in UTF-8, NDJSON or CSV (, or ;) in the contract's names; - is standard input",
      ),
      format: oneOf('--format <format>', 'format of the file (default: by its ending, else ndjson)', movementFormats),
    },
    run: async (session, { file, format: namedFormat, ...one }) => {
      if (file === undefined) return recordOne(session, one);
      if (Object.keys(one).length > 0) throw wrongUsage('Give either --file or the options of one movement.');
      const format = namedFormat ?? (file.endsWith('.csv') ? 'csv' : 'ndjson');
      return recordAll(session, file === '-' ? { input: session.terminal.stdin } : await openFile(file), format);
    },
  }),
};

async function recordOne(session: Session, { photo: photoPath, signature: path, ...given }: OptionsOf<typeof fields>) {
  const photo = photoPath === undefined ? undefined : await pictureFile(photoPath);
  const signature = path === undefined ? undefined : await pictureFile(path);
  const movement = movementFrom(given);
  const [result] = await movementSender(session)([movement]);
  if (result) session.print.record(result);
  if (result?.result === 'refused') throw new CommandError('The movement was refused.', 1);
  const { loggi_key: key } = movement;
  if (key && photo) await putPicture(session, 'photo', key, photo);
  if (key && signature) await putPicture(session, 'signature', key, signature);
}

interface Source {
  input: Readable & { bytesRead?: number };
  size?: number;
}

async function openFile(file: string): Promise<Source> {
  const { size } = await stat(file).catch(throwUnreadable);
  return { input: createReadStream(file), size };
}

async function recordAll(session: Session, { input, size }: Source, format: MovementFormat): Promise<void> {
  const { print } = session;
  let sentCount = 0;
  const send = movementSender(session);
  const importing = print.progress((at) => {
    const progress = ({ recorded, duplicate, refused }: ImportSummary) => {
      sentCount = recorded + duplicate + refused;
      at(input.bytesRead ?? 0, `${sentCount} movements`);
    };
    return importMovements(reader.rows(input, format, print.say), { send, progress });
  }, size);
  const summary = await importing.catch((error: unknown) => {
    if (sentCount > 0) print.say(`Stopped after ${sentCount} movements; run again, none is recorded twice.`);
    throwUnreadable(error);
  });
  const { refusals, ...counts } = summary;
  print.record(summary, counts);
  print.rows(refusals, ['line', 'code', 'message', 'id']);
  if (summary.refused > 0) throw new CommandError(`${summary.refused} movements were refused.`, 1);
}
