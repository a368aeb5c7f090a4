import {
  type GraphQLError,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLLeafType,
  type GraphQLSchema,
  getNullableType,
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
import { computedOnce } from '../base/contracts/document.js';
import { isFields } from '../base/values.js';
import { rulesOf } from './constraints.js';
import { shown, typeError, type WrongValues, wrongValues } from './wrong-values.js';

/**
 * Checks the types of values before graphql-js does. It agrees with graphql-js about what is right, but its messages do not
 * repeat the value, and it stops at as many errors as are listed.
 */

/** Access to values: those of variables are JSON, those in a document are its nodes. Both are refused in the same words. */
interface Reading<V> {
  isNull(value: V): boolean;
  /** True of a variable inside a document, which is checked by itself. */
  isVariable(value: V): boolean;
  /** Undefined when the value is not a list. */
  itemsOf(value: V): readonly V[] | undefined;
  /** Undefined when the value is not an object. */
  fieldsOf(value: V): Readonly<Record<string, V>> | undefined;
  /** Reads a leaf as its type does. Throws, or returns undefined, for a value of another type. */
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
};

/** Adds what has the wrong type in a value; `path` is where it stands. */
type TypeCheck<V> = (type: GraphQLInputType, value: V, path: string, wrong: WrongValues) => void;

/** Makes the check of whole values: fields of an input object go by their own names, anything else by `path`. */
function typeCheck<V>(schema: GraphQLSchema, reading: Reading<V>): TypeCheck<V> {
  const sizesOf = computedOnce((field: GraphQLInputField) =>
    isListType(getNullableType(field.type)) ? rulesOf(schema, field) : [],
  );

  const check: TypeCheck<V> = (type, value, path, wrong) => {
    if (reading.isVariable(value)) return;
    if (reading.isNull(value)) {
      if (isNonNullType(type)) wrong.add(path, 'must not be null');
      return;
    }
    const nullable = getNullableType(type);
    if (isListType(nullable)) checkItems(nullable.ofType, value, path, wrong);
    else if (isInputObjectType(nullable)) checkObject(nullable, value, path, wrong);
    else if (!isLeaf(nullable, value))
      wrong.add(path, messages[nullable.name] ?? `must be a value of the type ${nullable.name}`);
  };

  /** A value that is not a list stands for a list of one. */
  function checkItems(type: GraphQLInputType, value: V, path: string, wrong: WrongValues): void {
    const items = reading.itemsOf(value);
    if (!items) check(type, value, path, wrong);
    for (const [at, item] of items?.entries() ?? []) {
      if (wrong.isFull()) return;
      check(type, item, `${path}.${at}`, wrong);
    }
  }

  function isLeaf(type: GraphQLLeafType, value: V): boolean {
    try {
      return reading.parse(type, value) !== undefined;
    } catch {
      return false;
    }
  }

  function checkObject(type: GraphQLInputObjectType, value: V, path: string, wrong: WrongValues): void {
    const values = reading.fieldsOf(value);
    if (!values) {
      wrong.add(path, 'must be an object');
      return;
    }
    const prefix = path === '' ? '' : `${path}.`;
    const fields = type.getFields();
    for (const field of Object.values(fields)) checkField(field, values[field.name], prefix + field.name, wrong);
    for (const name of Object.keys(values)) {
      if (wrong.isFull()) return;
      if (!Object.hasOwn(fields, name)) wrong.add(prefix + shown(name), 'is not a field of this object');
    }
  }

  /** Of a list of the wrong size nothing else is said, and its items are read only as far as they have the right type. */
  function checkField(field: GraphQLInputField, value: V | undefined, path: string, wrong: WrongValues): void {
    if (value === undefined) {
      if (isRequiredInputField(field)) wrong.add(path, 'is required');
      return;
    }
    const items = reading.itemsOf(value) ?? [value];
    const [sizeMessage] = sizesOf(field).flatMap((rule) => rule(items) ?? []);
    const own = sizeMessage === undefined ? wrong : wrongValues(0);
    check(field.type, value, path, own);
    if (sizeMessage !== undefined && own.isFull()) wrong.add(path, sizeMessage);
  }

  return (type, value, path, wrong) => {
    const isObject = isInputObjectType(getNullableType(type)) && reading.fieldsOf(value) !== undefined;
    check(type, value, isObject ? '' : path, wrong);
  };
}

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/** Finds the variables of the wrong type. A variable that the operation does not declare is ignored, as GraphQL has it. */
export function variableCheck(
  schema: GraphQLSchema,
): (operation: OperationDefinitionNode, variables: Variables) => GraphQLError | undefined {
  const check = typeCheck(schema, json);
  return ({ variableDefinitions = [] }, variables) => {
    const wrong = wrongValues();
    for (const { variable, type: node, defaultValue } of variableDefinitions) {
      const name = shown(variable.name.value);
      const type = typeFromAST(schema, node);
      if (!isInputType(type) || wrong.isFull()) continue;
      const isSent = variables != null && Object.hasOwn(variables, variable.name.value);
      if (isSent) check(type, variables[variable.name.value], name, wrong);
      else if (isNonNullType(type) && !defaultValue) wrong.add(name, 'is required');
    }
    return typeError(wrong);
  };
}

/** Stands for the rule of graphql-js that literals have the right type: reports all that are wrong in one error. */
export function literalRule(schema: GraphQLSchema): ValidationRule {
  const check = typeCheck(schema, literals);
  return (context) => {
    const wrong = wrongValues();
    return {
      Argument: (node) => {
        const argument = context.getArgument();
        if (argument && !wrong.isFull()) check(argument.type, node.value, argument.name, wrong);
      },
      VariableDefinition: ({ variable, defaultValue }) => {
        const type = context.getInputType();
        if (defaultValue && isInputType(type)) check(type, defaultValue, variable.name.value, wrong);
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
