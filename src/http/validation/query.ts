import type { Request } from 'express';
import { fieldMessage } from '../../base/contracts/field-errors.js';
import { type FieldError, malformed } from '../../base/errors.js';
import type { Operation, Parameter } from '../operation.js';

interface QueryReading {
  readonly values: Record<string, string>;
  readonly fieldErrors: readonly FieldError[];
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string holds a percent-encoding that is not valid UTF-8.');
  }
};

/** Reads a query string without its `?`. Throws `MALFORMED_REQUEST` when the encoding is broken. */
export function readQuery(text: string, knownNames: ReadonlySet<string>): QueryReading {
  const values: Record<string, string> = {};
  const fieldErrors: FieldError[] = [];
  const earlierNames = new Set<string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    if (earlierNames.has(name)) fieldErrors.push({ field: name, message: 'is given more than once' });
    else if (!knownNames.has(name)) fieldErrors.push({ field: name, message: 'is not a parameter of this operation' });
    else if (value === '') fieldErrors.push({ field: name, message: 'must not be empty' });
    else values[name] = value;
    earlierNames.add(name);
  }
  return { values, fieldErrors };
}

/** Forms of the contract's values; JavaScript's own conversion takes `0x10`, `1e2`, ` 1` and `Infinity` too. */
const forms: Readonly<Partial<Record<Parameter['type'], RegExp>>> = {
  integer: /^(?:0|-?[1-9][0-9]*)$/,
  number: /^(?!-0(?:\.0+)?$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/,
  boolean: /^(?:true|false)$/,
};

/** Longer numbers are beyond every bound; some become `Infinity`, which passes every check of the validator. */
const MAX_DIGITS = 100;

function textOf(req: Request, values: QueryReading['values'], { place, name }: Parameter): unknown {
  return { query: values[name], path: req.params[name], header: req.headers[name.toLowerCase()] }[place];
}

export function formErrors(req: Request, values: QueryReading['values'], { parameters }: Operation): FieldError[] {
  return parameters.flatMap((parameter) => {
    const [form, text] = [forms[parameter.type], textOf(req, values, parameter)];
    if (!form || typeof text !== 'string' || (form.test(text) && text.length <= MAX_DIGITS)) return [];
    return { field: parameter.name, message: fieldMessage(`must be ${parameter.type}`) };
  });
}
