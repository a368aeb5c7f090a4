import {
  type GraphQLError,
  type GraphQLLeafType,
  type GraphQLSchema,
  isEnumType,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  type ValidationRule,
  type ValueNode,
} from 'graphql';
import { isFields } from '../base/values.js';
import { type Reading, shown, TypeChecker, typeError, wrongValues } from './type-checker.js';

type Variables = Readonly<Record<string, unknown>> | null | undefined;

/**
 * Finds the variables that have the wrong type before graphql-js does, whose messages repeat the value, and as often as it has
 * errors. A variable that the operation does not declare is ignored, as the GraphQL specification has it.
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

/**
 * Stands for the rule of graphql-js that literals have the right type, whose messages repeat the literal: reports all that are
 * wrong in one error, as those of variables are.
 */
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

const json: Reading<unknown> = {
  isNull: (value) => value === null || value === undefined,
  isVariable: () => false,
  itemsOf: (value) => (Array.isArray(value) ? value : undefined),
  namesIn: (value) => (isFields(value) ? Object.keys(value) : undefined),
  fieldOf: (value, name) => (isFields(value) ? value[name] : undefined),
  isLeaf: (value, type) => {
    const isRight = jsonLeaves[type.name];
    return isRight ? isRight(value) : isValueOf(type, value);
  },
};

const jsonLeaves: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => typeof value === 'number' && value === (value | 0),
  Float: Number.isFinite,
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string' || Number.isInteger(value),
  Boolean: (value) => typeof value === 'boolean',
};

/** An enum is checked here, so that graphql-js makes no message; the contract has no scalars of its own. */
function isValueOf(type: GraphQLLeafType, value: unknown): boolean {
  if (isEnumType(type)) return typeof value === 'string' && type.getValue(value) != null;
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

const literals: Reading<ValueNode> = {
  isNull: ({ kind }) => kind === Kind.NULL,
  isVariable: ({ kind }) => kind === Kind.VARIABLE,
  itemsOf: (node) => (node.kind === Kind.LIST ? node.values : undefined),
  namesIn: (node) => (node.kind === Kind.OBJECT ? node.fields.map(({ name }) => name.value) : undefined),
  fieldOf: (node, name) =>
    node.kind === Kind.OBJECT ? node.fields.find((field) => field.name.value === name)?.value : undefined,
  isLeaf: (node, type) => {
    const isRight = literalLeaves[type.name];
    if (isRight) return isRight(node);
    return isEnumType(type) && node.kind === Kind.ENUM && type.getValue(node.value) != null;
  },
};

const literalLeaves: Readonly<Record<string, (node: ValueNode) => boolean>> = {
  Int: isIntLiteral,
  Float: ({ kind }) => kind === Kind.INT || kind === Kind.FLOAT,
  String: ({ kind }) => kind === Kind.STRING,
  ID: ({ kind }) => kind === Kind.INT || kind === Kind.STRING,
  Boolean: ({ kind }) => kind === Kind.BOOLEAN,
};

function isIntLiteral(node: ValueNode): boolean {
  if (node.kind !== Kind.INT) return false;
  const number = Number(node.value);
  return number >= -(2 ** 31) && number < 2 ** 31;
}
