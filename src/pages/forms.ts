import express, { type Request, type RequestHandler, type Response } from 'express';
import { isFormToken, type Session } from '../accounts/sessions/session.js';
import { forbidden, malformed, tooLarge } from '../base/errors.js';
import { isFields } from '../base/values.js';
import { askForBody } from '../http/body/unread-body.js';
import { runStep } from '../http/series.js';

/** The fields of a form. */
export interface Form {
  has(name: string): boolean;
  /** Empty when the form does not have the field. */
  text(name: string): string;
  /** Undefined when the field is empty. */
  optional(name: string): string | undefined;
  /** Undefined when the field is empty; NaN for a text that is not a number, which the contract refuses. */
  number(name: string): number | undefined;
  /** The text as it was typed, with its spaces. */
  password(name: string): string | undefined;
  /** The file of the field `file`, if one was sent. */
  readonly file?: Upload;
}

export interface Upload {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Reads a form's body. Throws MALFORMED_REQUEST, PAYLOAD_TOO_LARGE. */
export type FormReader = (req: Request, res: Response) => Promise<Form>;

const MAX_BYTES = 65_536;
const MAX_FIELDS = 100;
// A large form carries the packed rows of a file, which are hardly larger than the file in base64.
const MAX_LARGE_BYTES = 4_194_304;
const MAX_FILE_BYTES = 2_097_152;
/**
 * Maximum number of the characters `%+=&`. To parse one costs as much as hundreds of letters. A large form is base64url
 * and has few of them.
 */
const MAX_SIGNS = MAX_BYTES;
const SIGNS = new Set(Buffer.from('%+=&'));

export const unreadable = (cause?: unknown): Error =>
  malformed('body_malformed', 'The form cannot be read.', { cause });

function demandFewSigns(bytes: Buffer): void {
  let count = 0;
  for (const byte of bytes) if (SIGNS.has(byte)) count += 1;
  if (count > MAX_SIGNS) throw unreadable();
}

function textReader(limit: number, parameterLimit = MAX_FIELDS): FormReader {
  const verify = (_req: unknown, _res: unknown, bytes: Buffer) => demandFewSigns(bytes);
  const parser = express.urlencoded({ extended: false, limit, parameterLimit, verify });
  return async (req, res) => {
    await parseBody(parser, limit, req, res);
    const fields: unknown = req.body;
    return formOf((name) => (isFields(fields) ? fields[name] : undefined));
  };
}

export const readForm = textReader(MAX_BYTES);
export const readLargeForm = textReader(MAX_LARGE_BYTES);
/** Reads a large form with a checkbox for each row and each pickup of a file of 1,000 rows. */
export const readLargeTable = textReader(MAX_LARGE_BYTES, 2_100);
/** Reads a form that is a table of cells: 20 rows of two lines, and some more. */
export const readTable = textReader(MAX_BYTES, 1_000);

const MULTIPART = 'multipart/form-data';
const fileParser = express.raw({ type: MULTIPART, limit: MAX_FILE_BYTES });
/** Maximum bytes of the headers of one part. Browsers send some hundred bytes. */
const MAX_HEADER_BYTES = 4_096;

/** Refuses a form with too many parts or too long headers before it is parsed. */
function demandFewParts(bytes: Buffer, type: string): void {
  const boundary = /;\s*boundary="?([^";]{1,70})"?/i.exec(type)?.[1];
  if (boundary === undefined) throw unreadable();
  const delimiter = Buffer.from(`--${boundary}`);
  let count = 0;
  for (let at = bytes.indexOf(delimiter); at >= 0; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    count += 1;
    const headers = bytes.subarray(at, at + MAX_HEADER_BYTES);
    const isLast = at + headers.length === bytes.length;
    if (count > MAX_FIELDS || !(isLast || headers.includes('\r\n\r\n'))) throw unreadable();
  }
}

/** Reads a form with a file, which browsers send as multipart/form-data. */
export const readUpload: FormReader = async (req, res) => {
  await parseBody(fileParser, MAX_FILE_BYTES, req, res);
  const type = req.get('content-type') ?? '';
  const body: unknown = req.body;
  if (!Buffer.isBuffer(body)) throw malformed('body_malformed', 'The form must be sent as multipart/form-data.');
  demandFewParts(body, type);
  const headers = { 'content-type': type };
  const data = await new globalThis.Response(Uint8Array.from(body), { headers }).formData().catch((error: unknown) => {
    throw unreadable(error);
  });
  const form = formOf((name) => data.get(name));
  const file = data.get('file');
  if (!(file instanceof File)) return form;
  return { ...form, file: { name: file.name, bytes: Buffer.from(await file.arrayBuffer()) } };
};

async function parseBody(parser: RequestHandler, limit: number, req: Request, res: Response): Promise<void> {
  askForBody(req, res);
  await runStep(parser, req, res).catch((error: unknown) => {
    throw isFields(error) && error['status'] === 413
      ? tooLarge('body_too_large', `The form is larger than ${limit} bytes.`)
      : unreadable(error);
  });
}

export function formOf(fieldOf: (name: string) => unknown): Form {
  const has = (name: string) => typeof fieldOf(name) === 'string';
  // Browsers send line breaks as CRLF.
  const text = (name: string) => (has(name) ? String(fieldOf(name)).replaceAll('\r\n', '\n') : '');
  const optional = (name: string): string | undefined => text(name).trim() || undefined;
  return {
    has,
    text,
    optional,
    number: (name) => (text(name).trim() === '' ? undefined : Number(text(name))),
    password: (name) => text(name) || undefined,
  };
}

/** Refuses a form that another site sent. Without a `Sec-Fetch-Site` header, only the form token protects. */
export function demandSameSite(req: Request): void {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('role_not_allowed', 'The form was sent from another site.');
  }
}

/** Refuses a form that was made for another session. */
export function demandFormToken(session: Session, form: Form): void {
  if (!isFormToken(session, form.text('form_token'))) {
    throw forbidden('role_not_allowed', 'The form is of another session: open the page again.');
  }
}
