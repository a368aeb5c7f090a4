import type { ErrorCode } from '../base/errors.js';
import type { RefusalError } from './session/operations.js';
import {
  bounds,
  entryNames,
  faults,
  fieldForms,
  fieldNames,
  reasons,
  refusals,
  type Text,
  consoleTexts as texts,
} from './texts.js';

// Refusals of operations as people read them: by reason and codes. Their messages are for developers, in English.

type Say = (text: Text) => string;
type Detail = Pick<RefusalError['details'][number], 'field' | 'code' | 'message'>;

export const refusalText = ({ code, reason }: { code: ErrorCode; reason: RefusalError['reason'] }): Text =>
  reasons[reason] ?? refusals[code] ?? texts.refused;

/** Says what is wrong with a field: “pelo menos 2 caracteres”. A bound stands in the message alone. */
export function faultText({ field, code, message }: Detail, say: Say): string {
  const form = code === 'pattern' ? textOf(field, fieldForms) : undefined;
  const bound = /at (?:least|most) (\d[\d.]*)/.exec(message)?.[1];
  if (code === 'too_short' && bound === '1') return say(faults.required);
  const bounded = bound === undefined ? undefined : bounds[code];
  return say(form ?? bounded ?? faults[code]).replace('{bound}', bound ?? '');
}

/** The same with the name of the field: “Pacote 3, Estado: pelo menos 2 caracteres”. */
export function detailText(detail: Detail, say: Say): string {
  const name = fieldName(detail.field, say);
  return name === '' ? faultText(detail, say) : `${name}: ${faultText(detail, say)}`;
}

/** Name of the field at a path; empty where it has none. */
function fieldName(path: string, say: Say): string {
  const entries = [...path.matchAll(/(\w+)\.(\d+)/g)].map(([, list = '', at]) =>
    entryNames[list] ? say(entryNames[list]).replace('{number}', String(Number(at) + 1)) : '',
  );
  const name = /\.\d+$/.test(path) && entries.at(-1) ? undefined : textOf(path, fieldNames);
  return [...entries, name ? say(name) : ''].filter(Boolean).join(', ');
}

/** The text of the longest end of a path that has one; numbers of entries do not count. */
function textOf(path: string, texts: Partial<Readonly<Record<string, Text>>>): Text | undefined {
  const steps = path.split('.').filter((step) => !/^\d+$/.test(step));
  return steps.map((_, at) => texts[steps.slice(at).join('.')]).find(Boolean);
}
