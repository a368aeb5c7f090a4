import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';

/** Finds the fragment of a name. */
export type Fragments = (name: string) => SelectionSetNode | undefined;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const sets = new Map<string, SelectionSetNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) sets.set(each.name.value, each.selectionSet);
  return (name) => sets.get(name);
}

/**
 * The fields of a selection, including those in fragments and those that a directive may skip. Each fragment counts
 * once.
 */
export function fieldsIn(fragments: Fragments, selections: readonly SelectionSetNode[]): FieldNode[] {
  const spread = new Set<string>();
  const fieldsOf = ({ selections: all }: SelectionSetNode): FieldNode[] =>
    all.flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return selection;
      if (selection.kind === Kind.INLINE_FRAGMENT) return fieldsOf(selection.selectionSet);
      const { value: name } = selection.name;
      const fragment = spread.has(name) ? undefined : fragments(name);
      spread.add(name);
      return fragment ? fieldsOf(fragment) : [];
    });
  return selections.flatMap(fieldsOf);
}

/** The fields that share a response name. Their selections are merged. */
export type MergedField = readonly FieldNode[];

/** Groups fields of one selection by name, with one entry per response name. */
export function merged(fields: readonly FieldNode[]): Map<string, MergedField[]> {
  const byResponseName = new Map<string, FieldNode[]>();
  for (const field of fields) {
    const key = (field.alias ?? field.name).value;
    const same = byResponseName.get(key);
    if (same) same.push(field);
    else byResponseName.set(key, [field]);
  }
  const byName = new Map<string, MergedField[]>();
  for (const field of byResponseName.values()) {
    const name = field[0]?.name.value ?? '';
    byName.set(name, [...(byName.get(name) ?? []), field]);
  }
  return byName;
}

/** Groups the fields below some fields by name, like `merged`. */
export function fieldsBelow(fragments: Fragments, parents: readonly MergedField[]): Map<string, MergedField[]> {
  const below = new Map<string, MergedField[]>();
  for (const parent of parents) {
    const fields = fieldsIn(
      fragments,
      parent.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
    for (const [name, same] of merged(fields)) below.set(name, [...(below.get(name) ?? []), ...same]);
  }
  return below;
}

/** The field of a package that needs a query of its own. */
export const HISTORY = 'trackingHistory';

export const selectsHistory = (fragments: Fragments, packages: readonly MergedField[]): boolean =>
  fieldsBelow(fragments, packages).has(HISTORY);

/** The lists of packages that are selected in lists of orders, one entry per response name. */
export function packageLists(fragments: Fragments, orders: readonly MergedField[]): readonly MergedField[] {
  const path = ['edges', 'node', 'packages'];
  return path.reduce((parents, name) => fieldsBelow(fragments, parents).get(name) ?? [], orders);
}

/** The names of all fields below some fields, at any depth. */
export function namesBelow(fragments: Fragments, parents: readonly MergedField[]): string[] {
  return [...fieldsBelow(fragments, parents)].flatMap(([name, fields]) => [name, ...namesBelow(fragments, fields)]);
}
