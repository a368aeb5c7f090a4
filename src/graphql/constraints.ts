import {
  assertInputType,
  type GraphQLArgument,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  getDirectiveValues,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { FieldError } from '../base/errors.js';
import { isFields, isText } from '../base/values.js';
import { type Fault, faultOf, formats } from '../validation/field-errors.js';

/** Finds the field errors of a value. The value must already have the right type. */
type Check = (value: unknown, path: string) => FieldError[];

type Checks = Map<GraphQLInputType, Check>;

/**
 * Makes the check for the contract's `@text`, `@range` and `@size`. It does not check the items of a list of the wrong
 * size.
 */
export function inputCheck(schema: GraphQLSchema, typeName: string): Check {
  return typeCheck(schema, assertInputType(schema.getType(typeName)), new Map());
}

/** Copies an input, with an empty text or a zero for each refused value. So the other values can be checked, too. */
export function withoutRefused<T extends object>(input: T, refused: readonly FieldError[]): T {
  const copy = structuredClone(input);
  for (const { field } of refused) blank(copy, field.split('.'));
  return copy;
}

function blank(parent: unknown, [step = '', ...rest]: readonly string[]): void {
  if (typeof parent !== 'object' || parent === null) return;
  const value: unknown = Reflect.get(parent, step);
  if (rest.length > 0) blank(value, rest);
  else Reflect.set(parent, step, typeof value === 'string' ? '' : 0);
}

/** The maximum number of items in a field, from its `@size`. */
export function largestSize(schema: GraphQLSchema, { astNode }: Declared): number {
  const directive = schema.getDirective('size');
  return Number((directive && astNode && getDirectiveValues(directive, astNode))?.['max'] ?? 0);
}

/** Makes the check for the directives of one field or argument. */
export function ruleCheck(schema: GraphQLSchema, declared: Declared): Check {
  const rules = rulesOf(schema, declared);
  return (value, path) => {
    if (value === null || value === undefined) return [];
    const [fault] = rules.flatMap((rule) => rule(value) ?? []);
    return fault === undefined ? [] : [{ field: path, ...fault }];
  };
}

function typeCheck(schema: GraphQLSchema, type: GraphQLInputType, checks: Checks): Check {
  const existing = checks.get(type);
  if (existing) return existing;
  if (isNonNullType(type)) return typeCheck(schema, type.ofType, checks);
  if (isListType(type)) return listCheck(typeCheck(schema, type.ofType, checks));
  return isInputObjectType(type) ? objectCheck(schema, type, checks) : () => [];
}

const listCheck =
  (item: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((each, at) => item(each, join(path, String(at)))) : [];

function objectCheck(schema: GraphQLSchema, type: GraphQLInputObjectType, checks: Checks): Check {
  const fields: [name: string, own: Check, inner: Check][] = [];
  const check: Check = (value, path) => {
    if (!isFields(value)) return [];
    return fields.flatMap(([name, own, inner]) => {
      const at = join(path, name);
      const errors = own(value[name], at);
      return errors.length > 0 ? errors : inner(value[name], at);
    });
  };
  // Store the check before reading the fields, because a type may contain itself.
  checks.set(type, check);
  for (const field of Object.values(type.getFields())) {
    fields.push([field.name, ruleCheck(schema, field), typeCheck(schema, field.type, checks)]);
  }
  return check;
}

const join = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

/** Describes the fault of a value of the right type. The message follows the name of the field. */
type Rule = (value: unknown) => Fault | undefined;

type Declared = Pick<GraphQLArgument, 'astNode'>;

type Arguments = Readonly<Record<string, unknown>>;

const makers = { text: textRule, range: rangeRule, size: sizeRule };

export function rulesOf(schema: GraphQLSchema, { astNode }: Declared): Rule[] {
  return Object.entries(makers).flatMap(([name, make]) => {
    const directive = schema.getDirective(name);
    const args = directive && astNode && getDirectiveValues(directive, astNode);
    return args ? make(args) : [];
  });
}

/** The error of an exceeded bound, in the words of the other contracts. */
const beyond = (keyword: string, limit: number): Fault => faultOf({ keyword, params: { limit } });

/** Makes the rule of `@text`. Characters are code points, as in the other contracts. */
function textRule({ min, max, pattern, says, format }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  const form = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  const isOfFormat = typeof format === 'string' ? formats[format] : undefined;
  return (value) => {
    const text = String(value);
    if (!isText(text)) return { code: 'pattern', message: 'must be valid Unicode text without NUL' };
    // A text has at most as many code points as code units, and at least half as many. So most texts need no counting.
    const isClear = text.length > 2 * most || (text.length >= 2 * least && text.length <= most);
    const length = isClear ? text.length : [...text].length;
    if (length > most) return beyond('maxLength', most);
    if (form && !form.test(text)) return { code: 'pattern', message: `must be ${says ?? 'in the documented form'}` };
    if (length < least) return beyond('minLength', least);
    return !isOfFormat || isOfFormat(text) ? undefined : faultOf({ keyword: 'format', params: { format } });
  };
}

function rangeRule({ min, max, exclusive }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    const number = Number(value);
    if (exclusive === true && number <= least) return beyond('exclusiveMinimum', least);
    if (number < least) return beyond('minimum', least);
    return number <= most ? undefined : beyond('maximum', most);
  };
}

function sizeRule({ min, max }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    const length = Array.isArray(value) ? value.length : 0;
    if (length < least) return beyond('minItems', least);
    return length <= most ? undefined : beyond('maxItems', most);
  };
}
