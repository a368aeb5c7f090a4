import express, { type Request, type RequestHandler, type Response } from 'express';
import { isFormToken, type Session } from '../../accounts/sessions/session.js';
import { forbidden, malformed, ServiceError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import { settle } from '../../http/series.js';

/** What a form sent. */
export interface Form {
  /** Empty when the form does not have the field. */
  text(name: string): string;
  /** Undefined when the field is empty. */
  optional(name: string): string | undefined;
  isChecked(name: string): boolean;
}

const MOST_BYTES = 65_536;
const MOST_FIELDS = 100;
const read = express.urlencoded({ extended: false, limit: MOST_BYTES, parameterLimit: MOST_FIELDS });

/** Reads a form's body. Throws MALFORMED_REQUEST, PAYLOAD_TOO_LARGE. */
export async function readForm(req: Request, res: Response, reader: RequestHandler = read): Promise<Form> {
  await settle(reader, req, res).catch((error: unknown) => {
    throw isFields(error) && error['status'] === 413
      ? new ServiceError('PAYLOAD_TOO_LARGE', `The form is larger than ${MOST_BYTES} bytes.`)
      : malformed('The form cannot be read.', error);
  });
  const fields: unknown = req.body;
  return formOf((name) => (isFields(fields) ? fields[name] : undefined));
}

function formOf(fieldOf: (name: string) => unknown): Form {
  const text = (name: string): string => {
    const value = fieldOf(name);
    // A form sends line breaks as CRLF, whatever was typed.
    return typeof value === 'string' ? value.replaceAll('\r\n', '\n') : '';
  };
  return { text, optional: (name) => text(name).trim() || undefined, isChecked: (name) => text(name) !== '' };
}

/** Refuses what another site had a browser send. Browsers say where a request comes from; those that do not are told by the token. */
export function demandSameSite(req: Request): void {
  const site = req.get('sec-fetch-site');
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw forbidden('The form was sent from another site.');
  }
}

/** Refuses a form that was not made for the session. */
export function demandFormToken(session: Session, form: Form): void {
  if (!isFormToken(session, form.text('form_token'))) {
    throw forbidden('The form is of another session: open the page again.');
  }
}
