import type { Request, RequestHandler } from 'express';
import { type FieldError, invalid, malformed } from '../base/errors.js';
import { computedOnce, fieldsOf } from '../base/values.js';
import { addFieldErrors, ajvOptions, bodyValidator, errorsBy } from './body-validator.js';
import { type Document, resolve } from './document.js';
import { faultOf } from './field-errors.js';
import type { Operation, Parameter } from './operation.js';
import { readingOf } from './read-value.js';
import { readings } from './readings.js';
import { createRequestAjv } from './validator-parts.js';

const noErrors = { fieldErrors: [], isPartial: false };

/** Fixes the query, because Express parses it again at each access. */
const setQuery = (req: Request, value: object): void =>
  void Object.defineProperty(req, 'query', { value, writable: true, configurable: true, enumerable: true });

const queryText = (url: string): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '');

/**
 * Makes the validating step of an operation. It gives `req.params` and `req.query` the types and defaults of the
 * contract. It throws one `VALIDATION_ERROR` with every error of path, query, headers and body.
 */
export const contractValidator = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const bodyChecks = bodyValidator(document);
  const parameterChecks = parameterValidator(document);
  return computedOnce((operation: Operation): RequestHandler => {
    const checkBody = bodyChecks(operation);
    const checkParameters = parameterChecks(operation);
    const readTexts = textReading(document, operation);
    return (req, _res, next) => {
      const { values, fieldErrors } = readQuery(queryText(req.originalUrl), operation);
      readTexts(req, values);
      const formFaults = [...fieldErrors, ...formErrors(req, values, operation)];
      const parameters = parametersOf(req, values, operation);
      const ofParameters = addFieldErrors(formFaults, checkParameters(parameters), document, operation);
      setQuery(req, parameters.query);
      req.params = parameters.params;
      const isJson = operation.body.schema !== undefined && req.body !== undefined;
      const ofBody = isJson ? checkBody(req.body) : noErrors;
      const details = [...ofParameters, ...ofBody.fieldErrors];
      if (details.length > 0) throw invalid(details, { isPartial: ofBody.isPartial });
      next();
    };
  });
});

/** Reads the texts of query and path by the `x-reading` of their schemas. */
function textReading(document: Document, { parameters }: Operation) {
  const readable = parameters.flatMap(({ place, name, schema }) => {
    const reading = place === 'header' ? undefined : readingOf(fieldsOf(resolve(document, schema)));
    return reading === undefined ? [] : [{ place, name, read: readings[reading] }];
  });
  return ({ params }: Request, query: Record<string, unknown>): void => {
    for (const { place, name, read } of readable) {
      const texts = place === 'query' ? query : params;
      const text = texts[name];
      if (typeof text === 'string') texts[name] = read(text);
    }
  };
}

const places = [
  ['query', 'query'],
  ['header', 'headers'],
  ['path', 'params'],
] as const;

/** Makes the checks of an operation's parameters. They convert texts to values with the types of the contract. */
function parameterValidator(document: Document) {
  const ajv = createRequestAjv(document, { ...ajvOptions, coerceTypes: true });
  return (operation: Operation) => errorsBy(ajv, { components: document.components, properties: schemasOf(operation) });
}

function schemasOf({ parameters }: Operation): Record<string, object> {
  const schemas = places.map(([place, key]): [string, object] => {
    const here = parameters
      .filter((parameter) => parameter.place === place)
      .map((each) => (place === 'header' ? { ...each, name: each.name.toLowerCase() } : each));
    const properties = Object.fromEntries(here.map(({ name, schema }) => [name, schema]));
    const required = here.filter((parameter) => parameter.required).map(({ name }) => name);
    return [key, { type: 'object', properties, ...(required.length > 0 ? { required } : {}) }];
  });
  return Object.fromEntries(schemas);
}

function parametersOf({ params, headers }: Request, query: QueryReading['values'], { headerNames }: Operation) {
  const named = [...headerNames.keys()].filter((name) => headers[name] !== undefined);
  return { query, params: { ...params }, headers: Object.fromEntries(named.map((name) => [name, headers[name]])) };
}

interface QueryReading {
  /** Texts, and objects with texts by key. */
  readonly values: Record<string, string | Record<string, string>>;
  readonly fieldErrors: readonly FieldError[];
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw malformed('request_malformed', 'The query string holds a percent-encoding that is not valid UTF-8.');
  }
};

/** The name of a text in an object, for example `metadata[channel]`. */
const IN_OBJECT = /^([a-z_]+)\[([^[\]]+)\]$/;

type Known = Pick<Operation, 'queryNames' | 'queryObjects'>;

/** Reads a query string without its `?`. Throws `MALFORMED_REQUEST` if its encoding is broken. */
function readQuery(text: string, { queryNames, queryObjects }: Known): QueryReading {
  const values: Record<string, string> = {};
  const objects = new Map<string, Map<string, string>>();
  const fieldErrors: FieldError[] = [];
  const earlierNames = new Set<string>();
  for (const pair of text.split('&')) {
    if (pair === '') continue;
    const at = pair.indexOf('=');
    const name = decode(at < 0 ? pair : pair.slice(0, at));
    const value = at < 0 ? '' : decode(pair.slice(at + 1));
    const [, object = '', key = ''] = IN_OBJECT.exec(name) ?? [];
    const isInObject = queryObjects.has(object);
    if (earlierNames.has(name))
      fieldErrors.push({ field: name, code: 'duplicate', message: 'is given more than once' });
    else if (!isInObject && !queryNames.has(name))
      fieldErrors.push({ field: name, code: 'unknown_field', message: 'is not a parameter of this operation' });
    else if (value === '') fieldErrors.push({ field: name, code: 'required', message: 'must not be empty' });
    else if (isInObject) objects.set(object, (objects.get(object) ?? new Map()).set(key, value));
    else values[name] = value;
    earlierNames.add(name);
  }
  const ofObjects = [...objects].map(([name, texts]) => [name, Object.fromEntries(texts)] as const);
  return { values: { ...values, ...Object.fromEntries(ofObjects) }, fieldErrors };
}

/** Allowed forms of values. JavaScript's own conversion would also accept `0x10`, `1e2`, ` 1` and `Infinity`. */
const forms: Readonly<Partial<Record<Parameter['type'], RegExp>>> = {
  integer: /^(?:0|-?[1-9][0-9]*)$/,
  number: /^(?!-0(?:\.0+)?$)-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?$/,
  boolean: /^(?:true|false)$/,
};

/** Most digits of a number. Longer ones exceed every bound, and some become `Infinity`, which passes the validator. */
const MAX_DIGITS = 100;

function textOf(req: Request, values: QueryReading['values'], { place, name }: Parameter): unknown {
  return { query: values[name], path: req.params[name], header: req.headers[name.toLowerCase()] }[place];
}

function formErrors(req: Request, values: QueryReading['values'], { parameters }: Operation): FieldError[] {
  return parameters.flatMap((parameter) => {
    const [form, text] = [forms[parameter.type], textOf(req, values, parameter)];
    if (!form || typeof text !== 'string' || (form.test(text) && text.length <= MAX_DIGITS)) return [];
    return { field: parameter.name, ...faultOf({ keyword: 'type', params: { type: parameter.type } }) };
  });
}
