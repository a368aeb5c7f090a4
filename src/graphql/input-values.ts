import {
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationRule,
  type ValueNode,
} from 'graphql';
import { computedOnce, isFields } from '../base/values.js';
import { rulesOf } from './constraints.js';
import { shown, typeError, type WrongValues, wrongValues } from './wrong-values.js';

/**
 * Checks the types of values before graphql-js does. It has the same rules as graphql-js, but its messages repeat no
 * value. It stops when the list of errors is full.
 */

/** Reads values: variables are JSON, values in a document are its nodes. */
interface Reading<V> {
  isNull(value: V): boolean;
  /** True for a variable inside a document. Variables are checked separately. */
  isVariable(value: V): boolean;
  /** Undefined if the value is not a list. */
  itemsOf(value: V): readonly V[] | undefined;
  /** Undefined if the value is not an object. */
  fieldsOf(value: V): Readonly<Record<string, V>> | undefined;
  /** Reads a scalar or an enum value. Throws or returns undefined for a value of another type. */
  parse(type: GraphQLLeafType, value: V): unknown;
}

const json: Reading<unknown> = {
  isNull: (value) => value === null || value === undefined,
  isVariable: () => false,
  itemsOf: (value) => (Array.isArray(value) ? value : undefined),
  fieldsOf: (value) => (isFields(value) ? value : undefined),
  parse: (type, value) => type.parseValue(value),
};

const literals: Reading<ValueNode> = {
  isNull: ({ kind }) => kind === Kind.NULL,
  isVariable: ({ kind }) => kind === Kind.VARIABLE,
  itemsOf: (node) => (node.kind === Kind.LIST ? node.values : undefined),
  fieldsOf: (node) =>
    node.kind === Kind.OBJECT
      ? Object.fromEntries(node.fields.map(({ name, value }) => [name.value, value]))
      : undefined,
  parse: (type, node) => type.parseLiteral(node, undefined),
};

const messages: Readonly<Record<string, string>> = {
  Int: 'must be a whole number of 32 bits',
  Float: 'must be a number',
  String: 'must be a string',
  ID: 'must be a string or a whole number',
  Boolean: 'must be true or false',
  DateTime: 'must be a time such as 2026-11-20T12:00:00Z',
};

class TypeChecker<V> {
  readonly #sizesOf: (field: GraphQLInputField) => ReturnType<typeof rulesOf>;

  constructor(
    schema: GraphQLSchema,
    private readonly reading: Reading<V>,
  ) {
    this.#sizesOf = computedOnce((field) => (isListType(getNullableType(field.type)) ? rulesOf(schema, field) : []));
  }

  /** Checks a value. Errors name fields of an input object by their own names, and anything else by `name`. */
  check(type: GraphQLInputType, value: V, name: string, wrong: WrongValues): void {
    const isObject = isInputObjectType(getNullableType(type)) && this.reading.fieldsOf(value) !== undefined;
    this.#value(type, value, isObject ? '' : name, wrong);
  }

  #value(type: GraphQLInputType, value: V, path: string, wrong: WrongValues): void {
    if (this.reading.isVariable(value)) return;
    if (this.reading.isNull(value)) {
      if (isNonNullType(type)) wrong.add({ field: path, code: 'required', message: 'must not be null' });
      return;
    }
    const nullable = getNullableType(type);
    if (isListType(nullable)) this.#items(nullable.ofType, value, path, wrong);
    else if (isInputObjectType(nullable)) this.#object(nullable, value, path, wrong);
    else if (!this.#isLeaf(nullable, value)) {
      const message = messages[nullable.name] ?? `must be a value of the type ${nullable.name}`;
      wrong.add({ field: path, code: isEnumType(nullable) ? 'unknown_value' : 'type', message });
    }
  }

  /** Checks a list. A value that is not a list counts as a list with one item. */
  #items(type: GraphQLInputType, value: V, path: string, wrong: WrongValues): void {
    const items = this.reading.itemsOf(value);
    if (!items) this.#value(type, value, path, wrong);
    for (const [at, item] of items?.entries() ?? []) {
      if (wrong.isFull()) return;
      this.#value(type, item, `${path}.${at}`, wrong);
    }
  }

  #isLeaf(type: GraphQLLeafType, value: V): boolean {
    try {
      return this.reading.parse(type, value) !== undefined;
    } catch {
      return false;
    }
  }

  #object(type: GraphQLInputObjectType, value: V, path: string, wrong: WrongValues): void {
    const values = this.reading.fieldsOf(value);
    if (!values) return void wrong.add({ field: path, code: 'type', message: 'must be an object' });
    const prefix = path === '' ? '' : `${path}.`;
    const fields = type.getFields();
    for (const field of Object.values(fields)) this.#field(field, values[field.name], prefix + field.name, wrong);
    for (const name of Object.keys(values)) {
      if (wrong.isFull()) return;
      if (!Object.hasOwn(fields, name))
        wrong.add({ field: prefix + shown(name), code: 'unknown_field', message: 'is not a field of this object' });
    }
  }

  /**
   * Checks a field. A list of the wrong size gets one error. If all its items have the right type, the resolver reports
   * the size.
   */
  #field(field: GraphQLInputField, value: V | undefined, path: string, wrong: WrongValues): void {
    if (value === undefined) {
      if (isRequiredInputField(field)) wrong.add({ field: path, code: 'required', message: 'is required' });
      return;
    }
    const items = this.reading.itemsOf(value) ?? [value];
    const [sizeFault] = this.#sizesOf(field).flatMap((rule) => rule(items) ?? []);
    const own = sizeFault === undefined ? wrong : wrongValues(0);
    this.#value(field.type, value, path, own);
    if (sizeFault !== undefined && own.isFull()) wrong.add({ field: path, ...sizeFault });
  }
}

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Finds the variables with the wrong type. Variables that the operation does not declare are ignored, as GraphQL
 * demands.
 */
export function variableCheck(
  schema: GraphQLSchema,
): (operation: OperationDefinitionNode, variables: Variables) => GraphQLError | undefined {
  const types = new TypeChecker(schema, json);
  return ({ variableDefinitions = [] }, variables) => {
    const wrong = wrongValues();
    for (const { variable, type: node, defaultValue } of variableDefinitions) {
      const name = shown(variable.name.value);
      const type = typeFromAST(schema, node);
      if (!isInputType(type) || wrong.isFull()) continue;
      const isSent = variables != null && Object.hasOwn(variables, variable.name.value);
      if (isSent) types.check(type, variables[variable.name.value], name, wrong);
      else if (isNonNullType(type) && !defaultValue)
        wrong.add({ field: name, code: 'required', message: 'is required' });
    }
    return typeError(wrong);
  };
}

/** Replaces the rule of graphql-js for the types of literals. It reports all wrong literals in one error. */
export function literalRule(schema: GraphQLSchema): ValidationRule {
  const types = new TypeChecker(schema, literals);
  return (context) => {
    const wrong = wrongValues();
    return {
      Argument: (node) => {
        const argument = context.getArgument();
        if (argument && !wrong.isFull()) types.check(argument.type, node.value, argument.name, wrong);
      },
      VariableDefinition: ({ variable, defaultValue }) => {
        const type = context.getInputType();
        if (defaultValue && isInputType(type)) types.check(type, defaultValue, variable.name.value, wrong);
      },
      Document: {
        leave: () => {
          const error = typeError(wrong);
          if (error) context.reportError(error);
        },
      },
    };
  };
}
