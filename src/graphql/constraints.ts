import {
  assertInputType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { FieldError } from '../base/errors.js';
import { type Declared, type Rule, rulesOf } from './constraint-rules.js';

/** Finds what is wrong with a value that has the right type; `path` is where it stands. */
export type Check = (value: unknown, path: string) => FieldError[];

type Known = Map<GraphQLInputType, Check>;

/**
 * The check that the contract's `@text`, `@range` and `@size` make of an input type: it finds every fault of a value, however
 * deep, by its dotted path. What is in a list of the wrong size is not looked at.
 */
export function inputCheck(schema: GraphQLSchema, typeName: string): Check {
  return typeCheck(schema, assertInputType(schema.getType(typeName)), new Map());
}

/** The check of one argument by its own directives; what is inside an input object is `inputCheck`'s. */
export function argumentCheck(schema: GraphQLSchema, declared: Declared): Check {
  return ruleCheck(rulesOf(schema, declared));
}

/**
 * A copy of an input in which a value that was refused is an empty text or a zero, so that nothing further on meets it: what
 * is right can then be judged as well.
 */
export function withoutRefused<T extends object>(input: T, refused: readonly FieldError[]): T {
  const copy = structuredClone(input);
  for (const { field } of refused) blank(copy, field.split('.'));
  return copy;
}

function blank(parent: unknown, [step = '', ...rest]: readonly string[]): void {
  if (!isObject(parent)) return;
  if (rest.length > 0) blank(parent[step], rest);
  else parent[step] = typeof parent[step] === 'string' ? '' : 0;
}

function ruleCheck(rules: readonly Rule[]): Check {
  return (value, path) => {
    if (value === null || value === undefined) return [];
    for (const rule of rules) {
      const message = rule(value);
      if (message !== undefined) return [{ field: path, message }];
    }
    return [];
  };
}

function typeCheck(schema: GraphQLSchema, type: GraphQLInputType, known: Known): Check {
  const earlier = known.get(type);
  if (earlier) return earlier;
  if (isNonNullType(type)) return typeCheck(schema, type.ofType, known);
  if (isListType(type)) return listCheck(typeCheck(schema, type.ofType, known));
  return isInputObjectType(type) ? objectCheck(schema, type, known) : () => [];
}

const listCheck =
  (item: Check): Check =>
  (value, path) =>
    Array.isArray(value) ? value.flatMap((each, at) => item(each, join(path, String(at)))) : [];

function objectCheck(schema: GraphQLSchema, type: GraphQLInputObjectType, known: Known): Check {
  const fields: [name: string, own: Check, inner: Check][] = [];
  const check: Check = (value, path) => {
    if (!isObject(value)) return [];
    return fields.flatMap(([name, own, inner]) => {
      const at = join(path, name);
      const faults = own(value[name], at);
      return faults.length > 0 ? faults : inner(value[name], at);
    });
  };
  // Known before its fields are: a type may contain itself.
  known.set(type, check);
  for (const field of Object.values(type.getFields())) {
    fields.push([field.name, ruleCheck(rulesOf(schema, field)), typeCheck(schema, field.type, known)]);
  }
  return check;
}

const join = (path: string, step: string): string => (path === '' ? step : `${path}.${step}`);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
