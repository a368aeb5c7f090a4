import { type GraphQLSchema, isEnumType, isInputType, Kind, type ValidationRule, type ValueNode } from 'graphql';
import { type Reading, TypeChecker } from './value-types.js';
import { typeError, wrongValues } from './wrong-values.js';

/**
 * Stands for the rule of graphql-js that literals have the right type, whose messages repeat the literal: reports all that are
 * wrong in one error, as those of variables are.
 */
export function literalRule(schema: GraphQLSchema): ValidationRule {
  const types = new TypeChecker(schema, nodes);
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

const intBounds = [-(2 ** 31), 2 ** 31 - 1] as const;

function isInt(node: ValueNode): boolean {
  if (node.kind !== Kind.INT) return false;
  const number = Number(node.value);
  return number >= intBounds[0] && number <= intBounds[1];
}

const leaves: Readonly<Record<string, (node: ValueNode) => boolean>> = {
  Int: isInt,
  Float: ({ kind }) => kind === Kind.INT || kind === Kind.FLOAT,
  String: ({ kind }) => kind === Kind.STRING,
  ID: ({ kind }) => kind === Kind.INT || kind === Kind.STRING,
  Boolean: ({ kind }) => kind === Kind.BOOLEAN,
};

const nodes: Reading<ValueNode> = {
  isNull: ({ kind }) => kind === Kind.NULL,
  isVariable: ({ kind }) => kind === Kind.VARIABLE,
  itemsOf: (node) => (node.kind === Kind.LIST ? node.values : undefined),
  namesIn: (node) => (node.kind === Kind.OBJECT ? node.fields.map(({ name }) => name.value) : undefined),
  fieldOf: (node, name) =>
    node.kind === Kind.OBJECT ? node.fields.find((field) => field.name.value === name)?.value : undefined,
  isLeaf: (node, type) => {
    const isRight = leaves[type.name];
    if (isRight) return isRight(node);
    return isEnumType(type) && node.kind === Kind.ENUM && type.getValue(node.value) != null;
  },
};
