import { _, type Ajv, type CodeKeywordDefinition, type ErrorObject, type ValidateFunction } from 'ajv';
import type { DetailCode, FieldError } from '../base/errors.js';
import { computedOnce, fieldsOf, isFields } from '../base/values.js';
import { bodyBounds } from './bounds.js';
import { type Document, patternTexts, resolve } from './document.js';
import { faultOf, formats, MAX_ERRORS } from './field-errors.js';
import type { Operation } from './operation.js';
import { valueReading } from './read-value.js';
import { compiledNames, createRequestAjv } from './validator-parts.js';

const judgement = { strict: false, strictNumbers: true, allErrors: true, useDefaults: true, validateSchema: false };
export const ajvOptions = { ...judgement, ajvFormats: { mode: 'full' as const }, formats };

/** Makes a check by a schema. The schema is compiled at first use, because most test processes use few operations. */
export function errorsBy(ajv: Ajv, schema: object) {
  let check: ValidateFunction | undefined;
  return (value: object): readonly ErrorObject[] => {
    check ??= ajv.compile(schema);
    return check(value) ? [] : (check.errors ?? []);
  };
}

/**
 * Keyword that stops ajv at the next item of an array after enough errors. So a refusal costs only its first hundred.
 */
const ENOUGH = 'x-enough';

const enough: CodeKeywordDefinition = {
  keyword: ENOUGH,
  code: ({ gen, it: { compositeRule, validateName } }) => {
    // In a branch of a choice, errors do not count yet: another branch may fit.
    if (compositeRule) return;
    gen.if(_`${compiledNames.default.errors} >= ${MAX_ERRORS}`, () => {
      gen.assign(_`${validateName}.errors`, compiledNames.default.vErrors);
      gen.return(false);
    });
  },
};

/** Copies schemas. In the copy every array stops at an item after enough errors. */
function stopping(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(stopping);
  if (!isFields(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, stopping(value)]));
  const isArray = node['type'] === 'array' && isFields(copy['items']);
  return isArray ? { ...copy, items: { allOf: [{ [ENOUGH]: true }, copy['items']] } } : copy;
}

/**
 * Makes the check of an operation's body. It finds at most a few hundred field errors; `isPartial` is true if there may
 * be more. It adds the defaults to a valid body.
 */
export function bodyValidator(document: Document) {
  const { components } = document;
  const bounded: Document = { ...document, ...fieldsOf(stopping({ components })) };
  const ajv = createRequestAjv(bounded, ajvOptions).addKeyword(enough);
  const checkOf = computedOnce((form: object) =>
    errorsBy(ajv, { components: bounded.components, properties: { body: stopping(form) } }),
  );
  return (operation: Operation) => {
    const { schema } = operation.body;
    const { trim } = bodyBounds(document, schema);
    const read = valueReading(document, schema);
    const formOf = formChoice(document, fieldsOf(schema));
    return (body: unknown) => {
      const { value, fieldErrors } = trim(read(body));
      const form = formOf(value);
      if (!form) return { fieldErrors: [...fieldErrors, { field: 'body', ...noForm }], isPartial: false };
      const errors = checkOf(form)({ body: value });
      const isPartial = errors.length >= MAX_ERRORS;
      return { fieldErrors: addFieldErrors(fieldErrors, errors, document, operation), isPartial };
    };
  };
}

const noForm = faultOf({ keyword: 'oneOf', params: {} });

/** Makes a function that chooses the schema of a body. Of `oneOf` it chooses the only one that has all sent fields. */
function formChoice(document: Document, schema: object): (body: unknown) => object | undefined {
  const { oneOf, properties } = fieldsOf(resolve(document, schema));
  if (!Array.isArray(oneOf) || properties) return () => schema;
  const forms = oneOf.map((form) => ({
    form,
    names: Object.keys(fieldsOf(fieldsOf(resolve(document, form))['properties'])),
  }));
  return (body) => {
    if (!isFields(body)) return forms[0]?.form;
    const [meant, other] = forms.filter(({ names }) => Object.keys(body).every((name) => names.includes(name)));
    return other ? undefined : meant?.form;
  };
}

/**
 * The field of an error, from a path such as `/body/items/0/quantity`, `/query/page`, `/params/id` or
 * `/headers/if-match`.
 */
function fieldOf({ instancePath, params }: ErrorObject, { headerNames }: Operation): string {
  const steps = instancePath.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const [, place = '', ...rest] = steps;
  const within: unknown = params['missingProperty'] ?? params['additionalProperty'];
  const name = [...rest, ...(within === undefined ? [] : [within])].join('.');
  return place === 'headers' ? (headerNames.get(name) ?? name) : name || place;
}

/**
 * Codes in the order of their use, best first. All other codes come after them. A field reports only its best fault.
 */
const mostUseful: readonly DetailCode[] = [
  ...(['unknown_field', 'required', 'too_long', 'too_many', 'duplicate'] as const),
  ...(['type', 'unknown_value', 'pattern'] as const),
];

function rankOf({ code }: FieldError): number {
  const at = mostUseful.indexOf(code);
  return at < 0 ? mostUseful.length : at;
}

/** Adds ajv's errors to those `reported` before. Keeps one per field, the most useful. */
export function addFieldErrors(
  reported: readonly FieldError[],
  errors: readonly ErrorObject[],
  document: Document,
  operation: Operation,
): FieldError[] {
  const patterns = patternTexts(document);
  const others = errors.map((error) => ({ field: fieldOf(error, operation), ...faultOf(error, patterns) }));
  const byField = new Map<string, FieldError>();
  for (const error of [...reported, ...others]) {
    const other = byField.get(error.field);
    if (!other || rankOf(error) < rankOf(other)) byField.set(error.field, error);
  }
  return [...byField.values()];
}
