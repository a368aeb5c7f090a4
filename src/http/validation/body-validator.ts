import { _, type CodeKeywordDefinition } from 'ajv';
import names from 'ajv/dist/compile/names.js';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { ajvErrorsToValidatorError, augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util.js';
import { bodyBounds } from '../../base/contracts/bounds.js';
import type { Document } from '../../base/contracts/document.js';
import { MAX_ERRORS } from '../../base/contracts/field-errors.js';
import type { FieldError } from '../../base/errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';
import { addFieldErrors } from './field-errors.js';
import { ajvOptions } from './parameter-validator.js';

/** Stops ajv at the next item of an array when there are enough errors, so that a refusal costs its first hundred. */
const ENOUGH = 'x-enough';

const enough: CodeKeywordDefinition = {
  keyword: ENOUGH,
  code: ({ gen, it: { compositeRule, validateName } }) => {
    // The errors of one branch of a choice are taken back when another branch fits.
    if (compositeRule) return;
    gen.if(_`${names.default.errors} >= ${MAX_ERRORS}`, () => {
      gen.assign(_`${validateName}.errors`, names.default.vErrors);
      gen.return(false);
    });
  },
};

/** A copy of schemas in which every array stops at an item when there are enough errors. */
function stopping(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(stopping);
  if (!isFields(node)) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, stopping(value)]));
  const isArray = node['type'] === 'array' && isFields(copy['items']);
  return isArray ? { ...copy, items: { allOf: [{ [ENOUGH]: true }, copy['items']] } } : copy;
}

/** `isPartial` when there may be more errors than these. */
type BodyCheck = (body: unknown) => { readonly fieldErrors: readonly FieldError[]; readonly isPartial: boolean };

/** A check finds a few hundred field errors at most, and gives a right body its defaults. */
export function bodyValidator(document: Document): (operation: Operation) => BodyCheck {
  const { components } = document;
  const bounded: Document = { ...document, ...Object(stopping({ components })) };
  const ajv = createRequestAjv(bounded, ajvOptions).addKeyword(enough);
  return (operation) => {
    const { schema } = operation.body;
    const { trim } = bodyBounds(document, schema);
    const whole = { components: bounded.components, properties: { body: stopping(schema) } };
    let compiled: ReturnType<typeof ajv.compile> | undefined;
    return (body) => {
      const { value, fieldErrors } = trim(body);
      // Compiled by its first request, as most processes of a test never see most operations.
      compiled ??= ajv.compile(whole);
      if (compiled({ body: value })) return { fieldErrors, isPartial: false };
      const isPartial = (compiled.errors?.length ?? 0) >= MAX_ERRORS;
      const { errors } = ajvErrorsToValidatorError(400, augmentAjvErrors(compiled.errors ?? []));
      return { fieldErrors: addFieldErrors(fieldErrors, errors, document, operation), isPartial };
    };
  };
}
