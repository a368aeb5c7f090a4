import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type GraphQLOutputType,
  getNamedType,
  getOperationAST,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  parse,
  type SelectionSetNode,
} from 'graphql';
import { sdl } from '../contract/contract-files.js';

/** Holds what B answers against the types of the contract. */

const schema = buildSchema(sdl);

/** Faults of the data that answers a document. */
export function misfitsIn(query: string, data: unknown): string[] {
  const document = parse(query);
  const operation = getOperationAST(document);
  const root = operation && schema.getRootType(operation.operation);
  return root && data !== null ? objectMisfits(document, root, [operation.selectionSet], data, 'data') : [];
}

function objectMisfits(
  document: DocumentNode,
  type: GraphQLOutputType,
  selections: readonly SelectionSetNode[],
  value: unknown,
  path: string,
): string[] {
  const named = getNamedType(type);
  if (!isObjectType(named) || named.name.startsWith('__')) return [];
  if (typeof value !== 'object' || value === null) return [`${path} is no object`];
  const answered = new Map(Object.entries(value));
  const isConditional = JSON.stringify(document).includes('"Directive"');
  return [...fieldsIn(document, selections)].flatMap(([key, nodes]) => {
    const field = named.getFields()[nodes[0]?.name.value ?? ''];
    if (!field) return [];
    // A directive may have left it out.
    if (!answered.has(key)) return isConditional ? [] : [`${path}.${key} is missing`];
    const inner = nodes.flatMap(({ selectionSet }) => selectionSet ?? []);
    return valueMisfits(document, field.type, inner, answered.get(key), `${path}.${key}`);
  });
}

function valueMisfits(
  document: DocumentNode,
  type: GraphQLOutputType,
  selections: readonly SelectionSetNode[],
  value: unknown,
  path: string,
): string[] {
  if (isNonNullType(type)) {
    return value === null ? [`${path} is null`] : valueMisfits(document, type.ofType, selections, value, path);
  }
  if (value === null) return [];
  if (isListType(type)) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((each, at) => valueMisfits(document, type.ofType, selections, each, `${path}.${at}`));
  }
  if (!isLeafType(type)) return objectMisfits(document, type, selections, value, path);
  try {
    type.parseValue(value);
    return [];
  } catch {
    return [`${path} is no ${type.name}`];
  }
}

/** The fields of selections by the name under which they are answered. */
function fieldsIn(document: DocumentNode, selections: readonly SelectionSetNode[]): Map<string, FieldNode[]> {
  const fields = new Map<string, FieldNode[]>();
  const open = selections.flatMap((each) => each.selections);
  for (let next = open.shift(); next; next = open.shift()) {
    if (next.kind === Kind.FIELD) {
      const key = (next.alias ?? next.name).value;
      fields.set(key, [...(fields.get(key) ?? []), next]);
    } else if (next.kind === Kind.INLINE_FRAGMENT) {
      open.push(...next.selectionSet.selections);
    } else {
      const { value: name } = next.name;
      for (const definition of document.definitions) {
        const isSpread = definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name;
        if (isSpread) open.push(...definition.selectionSet.selections);
      }
    }
  }
  return fields;
}
