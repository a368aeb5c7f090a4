const PARAMETER = /^\{([^{}]+)\}$/;

interface Node<T> {
  readonly literals: Map<string, Node<T>>;
  parameter?: Node<T>;
  end?: { readonly entry: T; readonly names: readonly string[] };
}

const emptyNode = <T>(): Node<T> => ({ literals: new Map() });

/**
 * Finds the template of a path, such as `/users/{id}`. The cost does not grow with the number of templates. A literal
 * segment wins over a parameter, and a parameter is never empty. Throws URIError for a percent-encoding that is not
 * valid UTF-8.
 */
export function pathIndex<T>(entries: Iterable<readonly [template: string, entry: T]>) {
  const root = emptyNode<T>();
  for (const [template, entry] of entries) add(root, template, entry);
  return (path: string): { entry: T; params: Record<string, string> } | undefined => {
    const values: string[] = [];
    const end = find(root, path.split('/'), 0, values);
    if (!end) return undefined;
    const params = Object.fromEntries(end.names.map((name, at) => [name, decodeURIComponent(values[at] ?? '')]));
    return { entry: end.entry, params };
  };
}

function add<T>(root: Node<T>, template: string, entry: T): void {
  const names: string[] = [];
  let node = root;
  for (const segment of template.split('/')) {
    const name = PARAMETER.exec(segment)?.[1];
    if (name === undefined) {
      const next = node.literals.get(segment) ?? emptyNode<T>();
      node.literals.set(segment, next);
      node = next;
    } else {
      names.push(name);
      node.parameter ??= emptyNode<T>();
      node = node.parameter;
    }
  }
  node.end = { entry, names };
}

function find<T>(node: Node<T>, segments: readonly string[], at: number, values: string[]): Node<T>['end'] {
  const segment = segments[at];
  if (segment === undefined) return node.end;
  const literal = node.literals.get(segment);
  const end = literal && find(literal, segments, at + 1, values);
  if (end || !node.parameter || segment === '') return end;
  values[values.length] = segment;
  const byParameter = find(node.parameter, segments, at + 1, values);
  if (!byParameter) values.length -= 1;
  return byParameter;
}
