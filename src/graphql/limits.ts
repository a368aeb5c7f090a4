import { depthLimit } from '@graphile/depth-limit';
import {
  BREAK,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  type ValidationRule,
  visit,
} from 'graphql';
import { type BodyBounds, type Bounds, unboundedValue } from '../validation/bounds.js';
import { largestSize } from './constraints.js';
import {
  type Fragments,
  fieldsBelow,
  fieldsIn,
  fragmentsOf,
  HISTORY,
  type MergedField,
  merged,
  packageLists,
} from './selections.js';

/**
 * Limits of a document (contracts/guides/behaviour.md#graphql-over-http). `nesting` and the limits after it keep
 * validation cheap.
 */
export const documentLimits = {
  tokens: 6000,
  depth: 12,
  aliases: 15,
  login: 1,
  nesting: 64,
  name: 255,
  alias: 64,
  fields: 300,
  directives: 50,
  fragments: 100,
  operations: 20,
  variables: 200,
};

/** Limits of an operation. Aliases can select the same thing several times, and multiply on each level. */
const operationLimits = {
  /** Maximum number of lists of orders with their packages. */
  packageLists: 2,
  /** Maximum number of names for one field, below a root field. */
  names: 2,
  /** Maximum number of introspections of the whole schema. */
  schemas: 2,
  /** Maximum number of fields. Fields of a fragment count at each place that spreads it. */
  fields: 1000,
};

/**
 * Only these root fields allow a history below them, because they return one package. A history has up to a thousand
 * entries.
 */
const rootsWithHistory = ['package', 'packageByTrackingCode'];

type Counted = 'fields' | 'aliases' | 'login' | 'directives' | 'fragments' | 'operations' | 'variables';

const countedAs: Partial<Record<Kind, Counted>> = {
  [Kind.FIELD]: 'fields',
  [Kind.DIRECTIVE]: 'directives',
  [Kind.FRAGMENT_DEFINITION]: 'fragments',
  [Kind.FRAGMENT_SPREAD]: 'fragments',
  [Kind.INLINE_FRAGMENT]: 'fragments',
  [Kind.OPERATION_DEFINITION]: 'operations',
  [Kind.VARIABLE_DEFINITION]: 'variables',
};

/** The error of a document that contains too much of something. It visits the document only once. */
export function documentExcess(document: DocumentNode): GraphQLError | undefined {
  const counts = { fields: 0, aliases: 0, login: 0, directives: 0, fragments: 0, operations: 0, variables: 0 };
  let excess: string | undefined;
  const count = (name: Counted): void => {
    counts[name] += 1;
    if (counts[name] > documentLimits[name]) excess ??= `A document may hold ${documentLimits[name]} ${name} at most.`;
  };
  let hasLongAlias = false;
  visit(document, {
    enter: (node) => {
      const name = countedAs[node.kind];
      if (name) count(name);
      if (node.kind === Kind.FIELD) {
        if (node.alias) count('aliases');
        if (node.name.value === 'login') count('login');
        hasLongAlias ||= (node.alias?.value.length ?? 0) > documentLimits.alias;
      }
      return excess === undefined ? undefined : BREAK;
    },
  });
  if (hasLongAlias) excess ??= `An alias may hold ${documentLimits.alias} characters at most.`;
  return excess === undefined ? undefined : new GraphQLError(excess);
}

/** Limits the depth. The standard introspection query has fourteen levels, nine of them `ofType`. */
export const depthRule: ValidationRule = depthLimit({
  maxDepth: documentLimits.depth,
  maxListDepth: documentLimits.depth,
  maxSelfReferentialDepth: documentLimits.depth,
  maxIntrospectionDepth: 14,
  maxDepthByFieldCoordinates: { '__Type.ofType': 9 },
  revealDetails: true,
});

/** The error of a valid document with an operation that selects something too often. */
export function operationExcess(document: DocumentNode): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  for (const definition of document.definitions) {
    const excess = definition.kind === Kind.OPERATION_DEFINITION ? excessIn(fragments, definition) : undefined;
    if (excess !== undefined) return new GraphQLError(`An operation may select ${excess}.`);
  }
  return undefined;
}

function excessIn(fragments: Fragments, { selectionSet }: OperationDefinitionNode): string | undefined {
  const roots = merged(fieldsIn(fragments, [selectionSet]));
  const lists = packageLists(fragments, roots.get('orders') ?? []);
  if (lists.length > operationLimits.packageLists)
    return `the packages of ${operationLimits.packageLists} lists of orders at most`;
  if ((roots.get('__schema') ?? []).length > operationLimits.schemas)
    return `__schema ${operationLimits.schemas} times at most`;
  let count = 0;
  const excessBelow = (root: string, fields: readonly MergedField[]): string | undefined => {
    count += fields.length;
    if (count > operationLimits.fields)
      return `${operationLimits.fields} fields, those of fragments wherever they are spread, at most`;
    for (const [name, below] of fieldsBelow(fragments, fields)) {
      if (below.length > operationLimits.names)
        return `one field under ${operationLimits.names} names below a root field at most`;
      if (name === HISTORY && !rootsWithHistory.includes(root))
        return `${HISTORY} in ${rootsWithHistory.join(' and ')} only`;
      const excess = name === '__typename' ? undefined : excessBelow(root, below);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  for (const [name, fields] of roots) {
    for (const field of fields) {
      const excess = excessBelow(name, [field]);
      if (excess !== undefined) return excess;
    }
  }
  return undefined;
}

/** Maximum number of values in a body: about the number of fields in ten orders with a hundred packages. */
const MAX_VALUES = 25_000;

const requestFields = ['query', 'operationName', 'variables', 'extensions'];

/**
 * The limits for the text of a request. Variables may have any names. Inside their values, any field name of the
 * contract's input types is allowed anywhere, because only the document gives a variable its type.
 */
export function requestBounds(schema: GraphQLSchema): BodyBounds {
  const types = Object.values(schema.getTypeMap()).filter(isInputObjectType);
  const fields = types.flatMap((type) => Object.values(type.getFields()));
  const maxItems = Math.max(...fields.map((field) => largestSize(schema, field)));
  const names = new Set(fields.map(({ name }) => name));
  const value: Bounds = { ...unboundedValue, maxItems, names, property: () => value, items: () => value };
  const variables = { ...unboundedValue, property: () => value };
  const property = (name: string) => (name === 'variables' ? variables : unboundedValue);
  const root = { ...unboundedValue, names: new Set(requestFields), property };
  return { maxValues: MAX_VALUES, root, trim: (body) => ({ value: body, fieldErrors: [] }) };
}
