import { type Fields, isFields } from '../../base/values.js';
import { type CommandText, command, type Flags, type Mount, oneOf, option, required, whole } from '../command.js';
import { type InputField, inputOf } from '../contract.js';
import { wrongUsage } from '../errors.js';
import type { Columns, ListAnswer, Printer } from '../printer.js';
import { type AnswerOf, answerOf, type BodyOf, type OperationId, type QueryOf, type Values } from './client.js';

type OptionText = readonly [flags: string, description: string];

/** Texts for fields that may be given as options. The compiler demands texts for required fields. */
type TextsOf<Input> = [Input] extends [never] ? Record<never, never> : { readonly [Field in keyof Input]: OptionText };
/** Filters have default texts. `options` may replace them if the contract's words do not fit. */
type Texts<Id extends OperationId> = Partial<TextsOf<QueryOf<Id>>> & TextsOf<BodyOf<Id>>;

/**
 * Describes a command that calls one operation. Its operands are the path parameters, in order. The contract tells
 * which filters exist and what they do. It also tells which options are whole numbers, have a list of words, or are
 * required.
 */
type OperationText<Id extends OperationId> = Omit<CommandText, 'usage'> & {
  /** Filters whose values the command sets itself. */
  readonly fixed?: Partial<QueryOf<Id>>;
  /** Shows the answer. By default it is shown as a record. */
  readonly show?: (print: Printer, answer: AnswerOf<Id>) => void;
  readonly says?: string | ((answer: AnswerOf<Id>, ...operands: string[]) => string | false);
} & (Record<never, never> extends Texts<Id> ? { readonly options?: Texts<Id> } : { readonly options: Texts<Id> });

export const operation = <Id extends OperationId>(id: Id, usage: string, spec: OperationText<Id>): Mount => {
  const fields = inputOf(id);
  const filters = fields.filter(({ name, place }) => place === 'query' && !(name in { ...spec.fixed }));
  const texts: [string, OptionText][] = Object.entries({ ...filterTexts(filters), ...spec.options });
  const options = Object.fromEntries(texts.map(([name, text]) => [name, flagOf(text, fieldNamed(fields, name))]));
  const show = spec.show ?? ((print, answer) => isFields(answer) && print.record(answer));
  return command<Flags>({
    ...spec,
    usage,
    options,
    run: async ({ send, print }, values, ...operands) => {
      const answer = await answerOf<Id>(await send(id, placed(fields, operands, { ...values, ...spec.fixed })));
      show(print, answer);
      const sentence = typeof spec.says === 'function' ? spec.says(answer, ...operands) : spec.says;
      if (sentence) print.say(sentence);
    },
  });
};

export const table =
  <Row extends object>(columns: Columns<Row>) =>
  (print: Printer, answer: ListAnswer<Row>): void =>
    print.list(answer, columns);

/** The flags of filters, by name in the contract. Filters that are not listed here are for programs only. */
const filterFlags: Readonly<Record<string, string>> = {
  user_id: '--user <user>',
  order_id: '--order <order>',
  loggi_key: '--package <package>',
  created_by: '--operator <user>',
  actor_id: '--operator <user>',
  key_id: '--key <key>',
  operation: '--operation <name>',
  ids: '--ids <ids>',
  email: '--email <address>',
  role: '--role <role>',
  status: '--status <status>',
  status_code: '--status <code>',
  state: '--state <state>',
  kind: '--kind <kind>',
  attempt_outcome: '--attempt-outcome <outcome>',
  tracking_code: '--tracking-code <code>',
  tracking_codes: '--tracking-codes <codes>',
  barcode: '--barcode <digits>',
  external_id: '--external-id <text>',
  reference: '--reference <text>',
  metadata: '--metadata <key=value>',
  open: '--open',
  late: '--late',
  trouble: '--trouble',
  stuck_since: '--stuck-since <time>',
  stuck_days: '--stuck-days <number>',
  created_from: '--from <time>',
  created_to: '--to <time>',
  ready_from: '--ready-from <time>',
  ready_to: '--ready-to <time>',
  q: '--text <text>',
  search: '--search <text>',
  page: '--page <number>',
  page_size: '--page-size <number>',
};

/** Texts of filters, taken from the contract. */
const filterTexts = (filters: readonly InputField[]): Record<string, OptionText> =>
  Object.fromEntries(
    Object.entries(filterFlags).flatMap(([name, flags]) => {
      const field = filters.find((each) => each.name === name);
      return field ? [[name, [flags, wordsOf(field)] as const]] : [];
    }),
  );

function wordsOf({ description, schema }: InputField): string {
  const { format, minimum, maximum, default: otherwise } = schema;
  const sentence = String(description)
    .replace(/^With true, |\.$/g, '')
    .replace(/^./, (first) => first.toLowerCase());
  const form = format === 'date-time' ? ', RFC 3339' : '';
  return sentence + form + (otherwise === undefined ? '' : ` (${minimum} to ${maximum}, default: ${otherwise})`);
}

function fieldNamed(fields: readonly InputField[], name: string): InputField {
  const field = fields.find((each) => each.name === name);
  if (field === undefined) throw new Error(`The contract has no ${name}.`);
  return field;
}

function flagOf([flags, description]: OptionText, { schema, isRequired }: InputField) {
  const words = schema['enum'];
  const made =
    schema['type'] === 'integer'
      ? whole(flags, description)
      : Array.isArray(words)
        ? oneOf(flags, description, words)
        : option(flags, description);
  return isRequired ? required(made) : made;
}

/** Puts each value in its place in the request. Operands go into the path. */
function placed(fields: readonly InputField[], operands: readonly string[], values: Fields): Values {
  const inPath = fields.filter(({ place }) => place === 'path');
  const path = inPath.map(({ name, schema }, at) => {
    const operand = operands[at] ?? '';
    if (schema['type'] === 'integer' && !/^\d{1,15}$/.test(operand))
      throw wrongUsage(`${operand} is not a whole number.`);
    return [name, operand];
  });
  const hasBody = fields.some(({ place }) => place === 'body');
  return { path: Object.fromEntries(path), ...(hasBody ? { body: values } : { query: queryOf(fields, values) }) };
}

/** Makes the query. An object is given as `key=value`. */
const queryOf = (fields: readonly InputField[], values: Fields): Fields =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => {
      const isObject = fields.some((each) => each.name === name && each.schema['type'] === 'object');
      if (!isObject || typeof value !== 'string') return [name, value];
      const at = value.indexOf('=');
      if (at < 1) throw wrongUsage(`--${name} takes key=value, such as channel=marketplace.`);
      return [name, { [value.slice(0, at)]: value.slice(at + 1) }];
    }),
  );
