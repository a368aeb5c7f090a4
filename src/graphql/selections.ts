import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';

/** The fragments of a document, as they are laid out where they are spread. */
export type Fragments = (name: string) => SelectionSetNode | undefined;

export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const sets = new Map<string, SelectionSetNode>();
  for (const each of definitions)
    if (each.kind === Kind.FRAGMENT_DEFINITION) sets.set(each.name.value, each.selectionSet);
  return (name) => sets.get(name);
}

/** The fields of a selection, those in fragments too, whether or not a directive would skip them; each fragment once. */
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

/** What an object is asked for under one name of its answer: one field, whose selections are merged. */
export type Asked = readonly FieldNode[];

/** What is asked for below some fields, by the name of the field: one entry for each name that it is answered under. */
export function askedBelow(fragments: Fragments, asked: readonly Asked[]): Map<string, Asked[]> {
  const below = new Map<string, Asked[]>();
  for (const fields of asked) {
    const inner = fieldsIn(
      fragments,
      fields.flatMap(({ selectionSet }) => selectionSet ?? []),
    );
    for (const [name, all] of byAnswer(inner)) below.set(name, [...(below.get(name) ?? []), ...all]);
  }
  return below;
}

/** Fields of one selection by their name, those of one name by the name under which they are answered. */
export function byAnswer(fields: readonly FieldNode[]): Map<string, Asked[]> {
  const answers = new Map<string, FieldNode[]>();
  for (const field of fields) {
    const key = (field.alias ?? field.name).value;
    const merged = answers.get(key);
    if (merged) merged.push(field);
    else answers.set(key, [field]);
  }
  const names = new Map<string, Asked[]>();
  for (const merged of answers.values()) {
    const name = merged[0]?.name.value ?? '';
    names.set(name, [...(names.get(name) ?? []), merged]);
  }
  return names;
}
