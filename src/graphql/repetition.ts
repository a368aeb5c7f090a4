import { type DocumentNode, GraphQLError, Kind, type OperationDefinitionNode } from 'graphql';
import { type Asked, askedBelow, byAnswer, type Fragments, fieldsIn, fragmentsOf } from './selections.js';

/**
 * What an operation may ask for at most (contracts/guides/behaviour.md#graphql-over-http). Aliases ask for one thing several times, and at each
 * level they would multiply what the level above asks for already.
 */
export const repetition = {
  /** Lists of orders whose packages are asked for. */
  packageLists: 2,
  /** Names under which one field is answered, below a root field. */
  names: 2,
  /** Introspections of the whole schema. */
  schemas: 2,
  /** Fields, those of a fragment wherever it is spread. */
  fields: 1000,
};

/** Says what a valid document asks for too often, if anything. */
export function repetitionIn(document: DocumentNode): GraphQLError | undefined {
  const fragments = fragmentsOf(document);
  for (const definition of document.definitions) {
    const excess = definition.kind === Kind.OPERATION_DEFINITION ? excessIn(fragments, definition) : undefined;
    if (excess !== undefined) return new GraphQLError(`An operation may ask for ${excess} at most.`);
  }
  return undefined;
}

function excessIn(fragments: Fragments, { selectionSet }: OperationDefinitionNode): string | undefined {
  const roots = byAnswer(fieldsIn(fragments, [selectionSet]));
  const lists = packageLists(fragments, roots.get('orders') ?? []);
  if (lists > repetition.packageLists) {
    return `the packages of ${repetition.packageLists} lists of orders`;
  }
  if ((roots.get('__schema') ?? []).length > repetition.schemas) return `${repetition.schemas} times __schema`;
  let fields = 0;
  const isRepeated = (asked: readonly Asked[]): string | undefined => {
    fields += asked.length;
    if (fields > repetition.fields) return `${repetition.fields} fields, those of fragments wherever they are spread,`;
    for (const [name, below] of askedBelow(fragments, asked)) {
      if (below.length > repetition.names) return `one field under ${repetition.names} names below a root field`;
      const excess = name === '__typename' ? undefined : isRepeated(below);
      if (excess !== undefined) return excess;
    }
    return undefined;
  };
  for (const asked of [...roots.values()].flat()) {
    const excess = isRepeated([asked]);
    if (excess !== undefined) return excess;
  }
  return undefined;
}

/** How many lists of packages are asked for in lists of orders: each name that one is answered under counts. */
export function packageLists(fragments: Fragments, orders: readonly Asked[]): number {
  const path = ['edges', 'node', 'packages'];
  return path.reduce((asked, name) => askedBelow(fragments, asked).get(name) ?? [], orders).length;
}
