import type { components } from '../../../generated/operator.js';
import { isFields } from '../../base/values.js';
import { RefusedError, type WrongField } from './failures.js';

type ErrorBody = components['schemas']['ErrorEnvelope'];

interface Answered<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a successful answer. Throws Refusal for every other. */
export async function bodyOf<T>(call: Promise<Answered<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw refusal(response, error);
  return data;
}

/** Waits for a success without a body. Throws Refusal otherwise. */
export async function done(call: Promise<Answered<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw refusal(response, error);
}

/** One line with the code, the message, every wrong field and the request's id. */
function refusal(response: Response, error: unknown): RefusedError {
  const requestId = response.headers.get('x-request-id');
  const trace = requestId ? ` [request ${requestId}]` : '';
  if (!isErrorBody(error)) return new RefusedError(response.status, `The service answered ${response.status}.${trace}`);
  const { code, message, details } = error.error;
  const faults = details.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  const hint = response.status === 401 ? ' Sign in again: malote login; with OPERATOR_KEY, check that key.' : '';
  const text = `${code}: ${message}${faults ? ` ${faults}.` : ''}${hint}${trace}`;
  return new RefusedError(response.status, text, details);
}

const isWrongField = (value: unknown): value is WrongField =>
  isFields(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';

function isErrorBody(value: unknown): value is ErrorBody {
  const error = isFields(value) ? value['error'] : undefined;
  if (!isFields(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string') return false;
  return Array.isArray(error['details']) && error['details'].every(isWrongField);
}
