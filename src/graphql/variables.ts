import {
  type GraphQLError,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
} from 'graphql';
import { isFields } from '../base/values.js';
import { type Reading, TypeChecker } from './value-types.js';
import { shown, typeError, wrongValues } from './wrong-values.js';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Finds the variables that have the wrong type before graphql-js does, whose messages repeat the value, and as often as it has
 * faults. A variable that the operation does not declare is ignored, as the GraphQL specification has it.
 */
export function variableCheck(
  schema: GraphQLSchema,
): (operation: OperationDefinitionNode, variables: Variables) => GraphQLError | undefined {
  const types = new TypeChecker(schema, json);
  return ({ variableDefinitions = [] }, variables) => {
    if (variableDefinitions.length === 0) return undefined;
    const wrong = wrongValues();
    for (const { variable, type: node, defaultValue } of variableDefinitions) {
      const name = shown(variable.name.value);
      const type = typeFromAST(schema, node);
      if (!isInputType(type)) continue;
      const isSent = variables != null && Object.hasOwn(variables, variable.name.value);
      if (isSent) types.check(type, variables[variable.name.value], name, wrong);
      else if (isNonNullType(type) && !defaultValue) wrong.add(name, 'is required');
      if (wrong.isFull()) break;
    }
    return typeError(wrong);
  };
}

const json: Reading<unknown> = {
  isNull: (value) => value === null || value === undefined,
  isVariable: () => false,
  itemsOf: (value) => (Array.isArray(value) ? value : undefined),
  namesIn: (value) => (isFields(value) ? Object.keys(value) : undefined),
  fieldOf: (value, name) => (isFields(value) ? value[name] : undefined),
  isLeaf: (value, type) => {
    const isRight = leaves[type.name];
    return isRight ? isRight(value) : isValueOf(type, value);
  },
};

const isInt = (value: unknown): boolean => typeof value === 'number' && value === (value | 0);

const leaves: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: isInt,
  Float: Number.isFinite,
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
  Boolean: (value) => typeof value === 'boolean',
};

/** No message of graphql-js is made for an enum; other scalars there are none in the contract. */
function isValueOf(type: GraphQLLeafType, value: unknown): boolean {
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) != null;
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}
