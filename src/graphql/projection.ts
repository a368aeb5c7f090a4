import {
  type DocumentNode,
  type FieldNode,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { isFields } from '../base/values.js';
import { inSlices, pacedEntries } from './pacing.js';
import { type Fragments, fieldsIn } from './selections.js';

/**
 * What an operation selects of a resolved value, as functions made once for a shape of document: graphql-js goes through the
 * selection anew for each value. They take only what is certainly right; anything else throws MisfitError and is for graphql-js to
 * judge.
 */
export interface Project {
  (value: unknown): unknown;
  /** It resolves to what is selected, as a list in it is paced. */
  isLater?: true;
}

/** A value that does not fit the schema, or that a projection does not know how to read. */
export class MisfitError extends Error {
  override name = 'MisfitError';
}

/** Whether a document says with directives what it selects, which may depend on its variables. */
export function hasDirectives(document: DocumentNode): boolean {
  let count = 0;
  visit(document, {
    [Kind.DIRECTIVE]: () => {
      count += 1;
    },
  });
  return count > 0;
}

/** The projection of a field of this type; undefined where fields below have resolvers or arguments of their own. */
export function projectionOf(
  type: GraphQLOutputType,
  nodes: readonly FieldNode[],
  fragments: Fragments,
  { isPaced = false } = {},
): Project | undefined {
  if (isNonNullType(type)) {
    const inner = projectionOf(type.ofType, nodes, fragments, { isPaced });
    if (inner?.isLater) return later(async (value) => present(await inner(value)));
    return inner && ((value) => present(inner(value)));
  }
  if (isListType(type)) {
    const item = projectionOf(type.ofType, nodes, fragments);
    if (!item || item.isLater) return undefined;
    if (isPaced) return later(async (value) => inSlices(itemsOf(value), item));
    return (value) => (value == null ? null : itemsOf(value).map(item));
  }
  if (isLeafType(type)) return leaf(type);
  return isObjectType(type) ? object(type, nodes, fragments) : undefined;
}

const later = (project: (value: unknown) => Promise<unknown>): Project =>
  Object.assign(project, { isLater: true as const });

function present(value: unknown): unknown {
  if (value === null) throw new MisfitError('null where the schema has none');
  return value;
}

function itemsOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new MisfitError('no list');
  return value;
}

const leaves: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => typeof value === 'number' && value === (value | 0),
  Float: Number.isFinite,
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
};

function leaf(type: GraphQLLeafType): Project | undefined {
  const names = isEnumType(type) ? new Set<unknown>(type.getValues().map(({ name }) => name)) : undefined;
  const fits = names ? (value: unknown) => names.has(value) : leaves[type.name];
  return (
    fits &&
    ((value) => {
      if (value == null) return null;
      if (!fits(value)) throw new MisfitError('a value of another type');
      return value;
    })
  );
}

function object(type: GraphQLObjectType, nodes: readonly FieldNode[], fragments: Fragments): Project | undefined {
  const fields: [key: string, name: string, project: Project][] = [];
  for (const [key, same] of byResponseName(nodes, fragments)) {
    const name = same[0]?.name.value ?? '';
    const project = name === '__typename' ? () => type.name : fieldProjection(type, name, same, fragments);
    // That name would set the prototype of the answer.
    if (!project || key === '__proto__') return undefined;
    fields.push([key, name, project]);
  }
  if (fields.some(([, , project]) => project.isLater))
    return later(async (value) => {
      if (value == null) return null;
      const given = fieldsOf(value);
      const selected: Record<string, unknown> = {};
      for (const [key, name, project] of fields) selected[key] = await project(given[name]);
      return selected;
    });
  return (value) => {
    if (value == null) return null;
    const given = fieldsOf(value);
    const selected: Record<string, unknown> = {};
    for (const [key, name, project] of fields) selected[key] = project(given[name]);
    return selected;
  };
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isFields(value) || 'then' in value) throw new MisfitError('no object');
  return value;
}

function fieldProjection(
  type: GraphQLObjectType,
  name: string,
  nodes: readonly FieldNode[],
  fragments: Fragments,
): Project | undefined {
  const field = type.getFields()[name];
  const isPaced = field?.resolve === pacedEntries;
  if (!field || (field.resolve && !isPaced) || field.args.length > 0) return undefined;
  return projectionOf(field.type, nodes, fragments, { isPaced });
}

function byResponseName(nodes: readonly FieldNode[], fragments: Fragments): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const selections = nodes.flatMap(({ selectionSet }): SelectionSetNode[] => (selectionSet ? [selectionSet] : []));
  for (const field of fieldsIn(fragments, selections)) {
    const key = (field.alias ?? field.name).value;
    fields.set(key, [...(fields.get(key) ?? []), field]);
  }
  return fields;
}
