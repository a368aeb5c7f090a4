import { depthLimit } from '@graphile/depth-limit';
import { type ASTNode, BREAK, type DocumentNode, GraphQLError, Kind, type ValidationRule, visit } from 'graphql';

/** What a document may hold at most (contracts/guides/behaviour.md#graphql-over-http). The later ones bound what validation can cost. */
export const bounds = {
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

type Counted = 'fields' | 'aliases' | 'login' | 'directives' | 'fragments' | 'operations' | 'variables';

/** What a node counts as. */
function countedAs(node: ASTNode): Counted[] {
  switch (node.kind) {
    case Kind.FIELD:
      return [
        'fields',
        ...(node.alias ? ['aliases' as const] : []),
        ...(node.name.value === 'login' ? ['login' as const] : []),
      ];
    case Kind.DIRECTIVE:
      return ['directives'];
    case Kind.FRAGMENT_DEFINITION:
    case Kind.FRAGMENT_SPREAD:
    case Kind.INLINE_FRAGMENT:
      return ['fragments'];
    case Kind.OPERATION_DEFINITION:
      return ['operations'];
    case Kind.VARIABLE_DEFINITION:
      return ['variables'];
    default:
      return [];
  }
}

/** Says what a document holds too much of, if anything, at the cost of one visit. */
export function excessIn(document: DocumentNode): GraphQLError | undefined {
  const counts = { fields: 0, aliases: 0, login: 0, directives: 0, fragments: 0, operations: 0, variables: 0 };
  let excess: Counted | undefined;
  let isLong = false;
  visit(document, {
    enter: (node) => {
      isLong ||= node.kind === Kind.FIELD && (node.alias?.value.length ?? 0) > bounds.alias;
      for (const name of countedAs(node)) if (++counts[name] > bounds[name]) excess = name;
      return excess === undefined ? undefined : BREAK;
    },
  });
  if (excess) return new GraphQLError(`A document may hold ${bounds[excess]} ${excess} at most.`);
  return isLong ? new GraphQLError(`An alias may hold ${bounds.alias} characters at most.`) : undefined;
}

/** The standard introspection query has `ofType` nine deep, fourteen in all; anything recursive beyond it is refused. */
export const depthRule: ValidationRule = depthLimit({
  maxDepth: bounds.depth,
  maxListDepth: bounds.depth,
  maxSelfReferentialDepth: bounds.depth,
  maxIntrospectionDepth: 14,
  maxDepthByFieldCoordinates: { '__Type.ofType': 9 },
  revealDetails: true,
});
