/** The most expensive bodies of a given form. Each is wrong in one place and has the largest accepted size. */

/** The steps from the root of a value to a part: names of fields, and 0 for an element of an array. */
export type Place = readonly (string | 0)[];

export interface Attack {
  what: string;
  /** JSON. */
  body: string;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Follows a reference inside a document. */
export function resolve(document: unknown, schema: unknown): Fields {
  if (!isFields(schema)) return {};
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  const steps = reference.split('/').slice(1);
  return resolve(
    document,
    steps.reduce<unknown>((at, step) => (isFields(at) ? at[step] : undefined), document),
  );
}

/** Every place in a JSON Schema, in all of its alternatives. */
export function placesOf(document: unknown, schema: unknown, place: Place = []): Place[] {
  const { properties, items, allOf, oneOf, anyOf } = resolve(document, schema);
  const fields = isFields(properties) ? Object.entries(properties) : [];
  const inner = [
    ...fields.flatMap(([name, field]) => placesOf(document, field, [...place, name])),
    ...(items === undefined ? [] : placesOf(document, items, [...place, 0])),
    ...[allOf, oneOf, anyOf].flatMap((forms) =>
      Array.isArray(forms) ? forms.flatMap((form) => placesOf(document, form, place)) : [],
    ),
  ];
  const all = new Map([place, ...inner].map((each) => [each.join('/'), each]));
  return [...all.values()];
}

const MARK = '@@here@@';

/** The valid value with another value at a place. Adds missing parents of the place. */
function replaced(value: unknown, [step, ...rest]: Place): unknown {
  if (step === undefined) return MARK;
  if (step === 0) {
    const [first, ...others] = Array.isArray(value) ? value : [];
    return [replaced(first, rest), ...others];
  }
  return { ...(isFields(value) ? value : {}), [step]: replaced(isFields(value) ? value[step] : undefined, rest) };
}

function at(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((inner, step) => {
    if (step === 0) return Array.isArray(inner) ? inner[0] : undefined;
    return isFields(inner) ? inner[step] : undefined;
  }, value);
}

const many = (part: (number: number) => string, bytes: number): string => {
  const count = Math.max(1, Math.floor(bytes / (part(9_999_999).length + 1)));
  return Array.from({ length: count }, (_, number) => part(number)).join(',');
};

/** JSON texts of about this many bytes for any place. `element` is a valid element of an array at the place. */
function fillings(bytes: number, element: unknown): [what: string, json: string][] {
  const right = JSON.stringify(element ?? {});
  return [
    ['zeros', `[${many(() => '0', bytes)}]`],
    ['empty objects', `[${many(() => '{}', bytes)}]`],
    ['right elements', `[${many(() => right, bytes)}]`],
    ['unknown fields', `{${many((number) => `"k${number}":0`, bytes)}}`],
    ['one long name', `{"${'k'.repeat(bytes)}":0}`],
    ['unknown fields beside a long text', `{${many((number) => `"k${number}":0`, 600)},"t":"${'t'.repeat(bytes)}"}`],
    ['a long text', `"${'a'.repeat(bytes)}"`],
    ['a text of escapes', `"${'\\u0000'.repeat(bytes / 6)}"`],
    ['a long number', '9'.repeat(bytes)],
    ['arrays in arrays', `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`],
    ['arrays 30 deep, and many', `[${many(() => `${'['.repeat(20)}${']'.repeat(20)}`, bytes)}]`],
  ];
}

/** Attacks at every place, each a body of at most `bytes`. */
export function* attacksOn(right: unknown, places: readonly Place[], bytes: number): Generator<Attack> {
  for (const place of places) {
    const frame = JSON.stringify(replaced(right, place));
    const room = bytes - frame.length - 1_000;
    for (const [what, json] of fillings(room, at(right, [...place, 0])))
      yield { what: `${what} at ${place.join('.') || 'the root'}`, body: frame.replace(`"${MARK}"`, () => json) };
  }
}
