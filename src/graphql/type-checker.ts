import {
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql';
import type { FieldError } from '../base/errors.js';
import { rulesOf } from './constraints.js';

/**
 * How values are read: those of variables are JSON, those in a document are nodes of it. The types are the same, so that
 * both are refused in the same words.
 */
export interface Reading<V> {
  isNull(value: V): boolean;
  /** A variable, which is checked by itself. */
  isVariable(value: V): boolean;
  /** Undefined when the value is not a list. */
  itemsOf(value: V): readonly V[] | undefined;
  /** Undefined when the value is not an object. */
  namesIn(value: V): readonly string[] | undefined;
  fieldOf(value: V, name: string): V | undefined;
  isLeaf(value: V, type: GraphQLLeafType): boolean;
}

/** Adds what has the wrong type in a value; `path` is where it stands. */
type TypeCheck<V> = (value: V, path: string, wrong: WrongValues) => void;

/** The check of input types. It agrees with graphql-js about what is right, but costs no more than it reports. */
export class TypeChecker<V> {
  readonly #schema: GraphQLSchema;
  readonly #reading: Reading<V>;
  // Of the named types only: each variable of a request has another list or non-null type.
  readonly #objects = new Map<GraphQLInputObjectType, TypeCheck<V>>();

  constructor(schema: GraphQLSchema, reading: Reading<V>) {
    this.#schema = schema;
    this.#reading = reading;
  }

  /** Adds what is wrong in a whole value. The fields of an input object go by their own names, anything else by `name`. */
  check(type: GraphQLInputType, value: V, name: string, wrong: WrongValues): void {
    const isObject = isInputObjectType(getNullableType(type)) && this.#reading.namesIn(value) !== undefined;
    this.#checkOf(type)(value, isObject ? '' : name, wrong);
  }

  #checkOf(type: GraphQLInputType): TypeCheck<V> {
    const isRequired = isNonNullType(type);
    const inner = this.#nullableCheck(getNullableType(type));
    return (value, path, wrong) => {
      if (this.#reading.isVariable(value)) return;
      if (!this.#reading.isNull(value)) inner(value, path, wrong);
      else if (isRequired) wrong.add(path, 'must not be null');
    };
  }

  #nullableCheck(type: ReturnType<typeof getNullableType<GraphQLInputType>>): TypeCheck<V> {
    if (isListType(type)) return this.#listCheck(this.#checkOf(type.ofType));
    if (isInputObjectType(type)) return this.#objects.get(type) ?? this.#objectCheck(type);
    const message = messages[type.name] ?? `must be a value of the type ${type.name}`;
    return (value, path, wrong) => {
      if (!this.#reading.isLeaf(value, type)) wrong.add(path, message);
    };
  }

  /** A value that is not a list stands for a list of one. */
  #listCheck(item: TypeCheck<V>): TypeCheck<V> {
    return (value, path, wrong) => {
      const items = this.#reading.itemsOf(value);
      if (!items) return item(value, path, wrong);
      let at = 0;
      for (const each of items) {
        if (wrong.isFull()) return;
        item(each, `${path}.${at++}`, wrong);
      }
    };
  }

  #objectCheck(type: GraphQLInputObjectType): TypeCheck<V> {
    const fields = new Map<string, TypeCheck<V | undefined>>();
    const check: TypeCheck<V> = (value, path, wrong) => {
      const names = this.#reading.namesIn(value);
      if (!names) return wrong.add(path, 'must be an object');
      const prefix = path === '' ? '' : `${path}.`;
      for (const [name, inner] of fields) inner(this.#reading.fieldOf(value, name), prefix + name, wrong);
      for (const name of names) {
        if (wrong.isFull()) return;
        if (!fields.has(name)) wrong.add(prefix + shown(name), 'is not a field of this object');
      }
    };
    // Listed before its fields are read: a type may contain itself.
    this.#objects.set(type, check);
    for (const field of Object.values(type.getFields())) fields.set(field.name, this.#fieldCheck(field));
    return check;
  }

  #fieldCheck(field: GraphQLInputField): TypeCheck<V | undefined> {
    const check = this.#sizedCheck(field);
    const isRequired = isRequiredInputField(field);
    return (value, path, wrong) => {
      if (value !== undefined) check(value, path, wrong);
      else if (isRequired) wrong.add(path, 'is required');
    };
  }

  /** Of a list of the wrong size nothing else is said, and its items are read only as far as they have the right type. */
  #sizedCheck(field: GraphQLInputField): TypeCheck<V> {
    const check = this.#checkOf(field.type);
    const rules = isListType(getNullableType(field.type)) ? rulesOf(this.#schema, field) : [];
    if (rules.length === 0) return check;
    return (value, path, wrong) => {
      const items = this.#reading.itemsOf(value) ?? [value];
      const message = rules.map((rule) => rule(items)).find((each) => each !== undefined);
      if (message === undefined) return check(value, path, wrong);
      const first = wrongValues(0);
      check(value, path, first);
      if (first.isFull()) wrong.add(path, message);
    };
  }
}

const messages: Readonly<Record<string, string>> = {
  Int: 'must be a whole number of 32 bits',
  Float: 'must be a number',
  String: 'must be a string',
  ID: 'must be a string or a whole number',
  Boolean: 'must be true or false',
};

/** The values of a document or of its variables that have the wrong type, as they are met. */
export interface WrongValues {
  readonly errors: readonly FieldError[];
  /** Whether to stop: more are wrong than are listed. */
  isFull(): boolean;
  add(field: string, message: string, orderId?: string): void;
  /** Notes that there are more than are listed. */
  cut(): void;
}

const MAX_LISTED = 100;
const MAX_NAME = 64;

/** Lists `most` of them and notes whether there are more. */
export function wrongValues(most = MAX_LISTED): WrongValues {
  const errors: FieldError[] = [];
  return {
    errors,
    isFull: () => errors.length > most,
    add: (field, message, orderId) => {
      const error = orderId === undefined ? { field, message } : { field, message, orderId };
      if (errors.length <= most) errors.push(errors.length < most ? error : more(most));
    },
    cut: () => {
      if (errors.length <= most) errors.push(more(errors.length));
    },
  };
}

const more = (most: number): FieldError => ({
  field: 'input',
  message: `has more wrong fields than the ${most} that are listed`,
});

/** A name that the client chose, cut so that no answer grows with it. */
export const shown = (name: string): string => name.slice(0, MAX_NAME).toWellFormed();

/** The request error of values that have the wrong type; undefined when all are right. No message repeats a value. */
export function typeError({ errors }: WrongValues): GraphQLError | undefined {
  const [first, ...others] = errors;
  if (!first) return undefined;
  const rest = others.length > 0 ? ' Other fields are wrong too: extensions.errors names them.' : '';
  const message = `${first.field} ${first.message}.${rest}`;
  return new GraphQLError(message, { extensions: { code: 'VALIDATION_ERROR', errors } });
}
