import { malformed } from '../base/errors.js';

/** What a path leads to: its operations by method, and the values of its parameters. */
export interface PathMatch<T> {
  readonly methods: ReadonlyMap<string, T>;
  readonly params: Record<string, string>;
}

interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  any: Node<T> | undefined;
  names: readonly string[];
  readonly methods: Map<string, T>;
}

const PARAMETER = /^\{(.+)\}$/;
const newNode = <T>(): Node<T> => ({ fixed: new Map(), any: undefined, names: [], methods: new Map() });

function childOf<T>(node: Node<T>, segment: string): Node<T> {
  if (PARAMETER.test(segment)) {
    node.any ??= newNode();
    return node.any;
  }
  const child = node.fixed.get(segment) ?? newNode<T>();
  node.fixed.set(segment, child);
  return child;
}

/**
 * Literal segments win over parameters, so `/users/me` is never taken for `/users/{id}`; an empty segment is no value.
 */
function find<T>(node: Node<T>, segments: readonly string[], at: number, values: string[]): Node<T> | undefined {
  const segment = segments[at];
  if (segment === undefined) return node.methods.size > 0 ? node : undefined;
  const literal = node.fixed.get(segment);
  const found = literal && find(literal, segments, at + 1, values);
  if (found || !node.any || segment === '') return found;
  values.push(segment);
  const below = find(node.any, segments, at + 1, values);
  if (!below) values.pop();
  return below;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed('The path holds a percent-encoding that is not valid UTF-8.');
  }
}

/**
 * Builds the matcher of a route table; it is case sensitive and strict about a trailing slash. Throws
 * `MALFORMED_REQUEST` on a broken percent-encoding in a parameter.
 */
export function pathMatcher<T>(
  entries: Iterable<{ method: string; path: string; target: T }>,
): (path: string) => PathMatch<T> | undefined {
  const root = newNode<T>();
  for (const { method, path, target } of entries) {
    const segments = path.split('/');
    const leaf = segments.reduce(childOf<T>, root);
    leaf.names = segments.flatMap((segment) => PARAMETER.exec(segment)?.[1] ?? []);
    leaf.methods.set(method, target);
  }
  return (path) => {
    const values: string[] = [];
    const leaf = find(root, path.split('/'), 0, values);
    if (!leaf) return undefined;
    const params = Object.fromEntries(leaf.names.map((name, index) => [name, decode(values[index] ?? '')]));
    return { methods: leaf.methods, params };
  };
}
