import { type FieldFault, malformed } from '../base/errors.js';

export interface QueryReading {
  readonly values: Record<string, string>;
  readonly faults: readonly FieldFault[];
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('The query string holds a percent-encoding that is not valid UTF-8.');
  }
};

/**
 * Reads a query string (without `?`) against the names that the contract knows. A parameter that is unknown, empty or
 * given twice is a fault, as none of them has a value that could be meant. Throws `MALFORMED_REQUEST` when the
 * encoding is broken.
 */
export function readQuery(text: string, known: ReadonlySet<string>): QueryReading {
  const values: Record<string, string> = {};
  const faults: FieldFault[] = [];
  const seen = new Set<string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    if (seen.has(name)) faults.push({ field: name, message: 'is given more than once' });
    else if (!known.has(name)) faults.push({ field: name, message: 'is not a parameter of this operation' });
    else if (value === '') faults.push({ field: name, message: 'must not be empty' });
    else values[name] = value;
    seen.add(name);
  }
  return { values, faults };
}
