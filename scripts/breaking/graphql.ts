import {
  buildSchema,
  DangerousChangeType,
  findBreakingChanges,
  findDangerousChanges,
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLSchema,
  getDirectiveValues,
  isInputObjectType,
  isObjectType,
  isSpecifiedDirective,
} from 'graphql';
import { isWithin } from './patterns.js';

/** Changes that break clients of the GraphQL contract: graphql-js's findings, and constraints that became narrower. */

type Bounds = Readonly<Record<string, unknown>>;
type Input = GraphQLArgument | GraphQLInputField;

/** `Type.field` or `Type.field.argument` → what a client may send there. */
function inputsOf(schema: GraphQLSchema): Map<string, Input> {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  return new Map<string, Input>(
    types.flatMap((type): [string, Input][] => {
      if (isInputObjectType(type))
        return Object.values(type.getFields()).map((field) => [`${type.name}.${field.name}`, field]);
      if (!isObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap(({ name, args }) =>
        args.map((argument): [string, Input] => [`${type.name}.${name}.${argument.name}`, argument]),
      );
    }),
  );
}

function boundsOf(schema: GraphQLSchema, { astNode }: Input): Bounds {
  const custom = schema.getDirectives().filter((directive) => !isSpecifiedDirective(directive));
  return Object.assign({}, ...custom.map((directive) => (astNode && getDirectiveValues(directive, astNode)) ?? {}));
}

function isNarrower(before: Bounds, now: Bounds): boolean {
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = before;
  return (
    Number(now['min']) > Number(min) ||
    Number(now['max']) < Number(max) ||
    !isWithin(before['pattern'], now['pattern']) ||
    (now['exclusive'] === true && before['exclusive'] !== true)
  );
}

function narrowed(released: GraphQLSchema, current: GraphQLSchema): string[] {
  const before = inputsOf(released);
  return [...inputsOf(current)].flatMap(([name, input]) => {
    const earlier = before.get(name);
    const isBreaking = earlier && isNarrower(boundsOf(released, earlier), boundsOf(current, input));
    return isBreaking ? [`${name} accepts less than before.`] : [];
  });
}

/**
 * Changes that no client notices: parts that a request may leave out, and added values, which clients of every version
 * must expect.
 */
const unfelt: readonly string[] = [
  DangerousChangeType.OPTIONAL_ARG_ADDED,
  DangerousChangeType.OPTIONAL_INPUT_FIELD_ADDED,
  DangerousChangeType.VALUE_ADDED_TO_ENUM,
];

/** Lines that say what breaks a client when the schema `released` becomes `current`; both in SDL. */
export function graphqlBreaks(released: string, current: string): string[] {
  const [before, now] = [buildSchema(released), buildSchema(current)];
  const felt = findDangerousChanges(before, now).filter(({ type }) => !unfelt.includes(type));
  const changes = [...findBreakingChanges(before, now), ...felt];
  return [...changes.map(({ description }) => description), ...narrowed(before, now)];
}
