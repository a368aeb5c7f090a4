import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  type GraphQLResolveInfo,
  getArgumentValues,
  getOperationAST,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { hasDirectives, MisfitError, type Project, projectionOf } from './projection.js';
import { fieldsIn, fragmentsOf } from './selections.js';

/** How the operations of one shape of document are answered, by name; null where that is left to graphql-js. */
export type Projections = Map<string, Project | null>;

/** The one root field of an operation. */
type Root = NonNullable<ReturnType<typeof rootOf>>;

/** What a root field has resolved to, for graphql-js to go on with: it is the parent of that field. */
export class Settled {
  constructor(readonly result: Promise<unknown>) {}
}

/**
 * Executes as graphql-js does. Of an operation with one root field, whose document's shape has passed before, the selection is not
 * interpreted again; whatever is out of the ordinary, errors included, is left to graphql-js, with what the field resolved to.
 */
export async function executeKnown(
  args: ExecutionArgs & { readonly projections?: Projections },
): Promise<ExecutionResult> {
  const { projections, ...plain } = args;
  const operation = getOperationAST(args.document, args.operationName);
  const root = projections && operation && rootOf(args, operation);
  const project = root && projectOf(projections, args, operation, root);
  if (!project) return execute(plain);
  const settled = new Settled(resolved(args, operation, root));
  try {
    return { data: { [root.key]: await project(await settled.result) } };
  } catch {
    return execute({ ...plain, rootValue: settled });
  }
}

function rootOf({ schema, document }: ExecutionArgs, operation: OperationDefinitionNode) {
  const parentType = schema.getRootType(operation.operation);
  const [node, ...others] = fieldsIn(fragmentsOf(document), [operation.selectionSet]);
  const field = node && others.length === 0 ? parentType?.getFields()[node.name.value] : undefined;
  return parentType && node && field?.resolve
    ? { parentType, node, field, resolve: field.resolve, key: keyOf(node) }
    : undefined;
}

const keyOf = ({ alias, name }: FieldNode): string => (alias ?? name).value;

function projectOf(
  projections: Projections,
  { document }: ExecutionArgs,
  { name }: OperationDefinitionNode,
  { node, field }: Root,
): Project | null {
  const known = projections.get(name?.value ?? '');
  if (known !== undefined) return known;
  const project = hasDirectives(document) ? undefined : projectionOf(field.type, [node], fragmentsOf(document));
  projections.set(name?.value ?? '', project ?? null);
  return project ?? null;
}

/** The field's value; rejects where graphql-js would answer errors. */
async function resolved(args: ExecutionArgs, operation: OperationDefinitionNode, root: Root): Promise<unknown> {
  const { schema, document, variableValues, contextValue, rootValue } = args;
  const { parentType, node, field, resolve, key } = root;
  const read = getVariableValues(schema, operation.variableDefinitions ?? [], variableValues ?? {});
  if (!read.coerced) throw new MisfitError('variables of another type');
  const values = getArgumentValues(field, node, read.coerced);
  const info: GraphQLResolveInfo = {
    fieldName: field.name,
    fieldNodes: [node],
    returnType: field.type,
    parentType,
    path: { prev: undefined, key, typename: parentType.name },
    schema,
    fragments: Object.fromEntries(
      document.definitions.flatMap((each) => (each.kind === 'FragmentDefinition' ? [[each.name.value, each]] : [])),
    ),
    rootValue,
    operation,
    variableValues: read.coerced,
  };
  return resolve(rootValue, values, contextValue, info);
}
