/** Functions that make the fields of `V` from a record. */
export type FieldsOf<R, V> = { readonly [Name in keyof V]-?: (record: R) => V[Name] };

/**
 * Makes views of records. A field is computed when it is read, so an unread field costs nothing. JSON of a view has all
 * of its fields; a spread has none.
 */
export function viewer<R, V extends object>(fields: FieldsOf<R, V>): (record: R) => V {
  class View {
    constructor(readonly record: R) {}

    toJSON(): object {
      return Object.fromEntries(Object.keys(fields).map((name) => [name, Reflect.get(this, name)]));
    }
  }
  for (const [name, of] of Object.entries<(record: R) => unknown>(fields)) {
    Object.defineProperty(View.prototype, name, {
      get(this: View) {
        return of(this.record);
      },
    });
  }
  return (record) => Object(new View(record));
}

/** Makes complete objects from records. Leaves out undefined fields. */
export function filler<R, V extends object>(fields: FieldsOf<R, V>): (record: R) => V {
  const all = Object.entries<(record: R) => unknown>(fields);
  return (record) => {
    const whole: Record<string, unknown> = {};
    for (const [name, of] of all) {
      const value = of(record);
      if (value !== undefined) whole[name] = value;
    }
    return Object(whole);
  };
}
