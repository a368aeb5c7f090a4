import type { RequestHandler, Response } from 'express';
import { computedOnce, isFields } from '../../src/base/values.js';
import { type Document, resolve } from '../../src/validation/document.js';
import { formats } from '../../src/validation/field-errors.js';
import type { Operation } from '../../src/validation/operation.js';
import { createResponseAjv } from '../../src/validation/validator-parts.js';
import { observeAnswers } from './jest/observed-answers.js';

// Set only when tests run, not in other programs that use this file.
const observations = process.env['MALOTE_TEST_ANSWERS'];
if (observations) observeAnswers(observations);

/** A copy of a document that allows only documented fields and values of `x-extensible-enum` in answers. */
export function closed<T extends object>(document: T): T {
  const copy = structuredClone(document);
  close(copy, copy);
  return copy;
}

function close(node: unknown, document: object): void {
  if (typeof node !== 'object' || node === null) return;
  if ('allOf' in node) {
    // Closing each part by itself would refuse the fields of the other parts.
    Object.assign(node, joined(partsOf(document, node)));
    Reflect.deleteProperty(node, 'allOf');
  }
  if ('properties' in node && isFields(node.properties) && !('additionalProperties' in node))
    Object.assign(node, { additionalProperties: false });
  if ('x-extensible-enum' in node) Object.assign(node, { enum: node['x-extensible-enum'] });
  for (const child of Object.values(node)) close(child, document);
}

/** The schemas that `allOf` brings together, at all levels. */
function partsOf(document: object, schema: unknown): Record<string, unknown>[] {
  const part = resolve(document, schema);
  if (!isFields(part)) return [];
  const { allOf, ...own } = part;
  return [own, ...(Array.isArray(allOf) ? allOf.flatMap((each) => partsOf(document, each)) : [])];
}

const joined = (parts: readonly Record<string, unknown>[]) => ({
  properties: Object.assign({}, ...parts.map(({ properties }) => properties)),
  required: parts.flatMap(({ required }) => (Array.isArray(required) ? required : [])),
});

const CONTRACT = 'contract';

const pointerOf = (...names: readonly string[]): string =>
  `#/${names.map((name) => encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

/** The pointer to the description of an answer with this status. */
function placeOf(document: Document, { route }: Operation, status: number): string | undefined {
  const item: unknown = document.paths[route.path];
  const operation = isFields(item) ? item[route.method] : undefined;
  const answers = isFields(operation) ? operation['responses'] : undefined;
  if (!isFields(answers)) return undefined;
  const name = [String(status), `${String(status)[0]}XX`, 'default'].find((each) => each in answers);
  if (name === undefined) return undefined;
  const answer = answers[name];
  if (isFields(answer) && typeof answer['$ref'] === 'string') return answer['$ref'];
  return pointerOf('paths', route.path, route.method, 'responses', name);
}

/** Prints the cause for the author of the handler: the answer is only a 500, and the log is silent in tests. */
function breach(message: string): Error {
  process.stderr.write(`${message}\n`);
  return new Error(message);
}

/** Makes a breach of the contract a 500. Compiled once, because the validator's own check would compile each status. */
export const answerCheck = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const contract = closed(document);
  const options = { strict: false, strictNumbers: true, validateSchema: false, formats };
  const ajv = createResponseAjv(contract, { ...options, ajvFormats: { mode: 'full' } }).addSchema(contract, CONTRACT);

  const check = (operation: Operation, status: number, body: unknown): void => {
    const place = placeOf(contract, operation, status);
    if (place === undefined) throw breach(`${operation.id} answers ${status}, which its contract does not name.`);
    const fits = ajv.getSchema(`${CONTRACT}${place}/content/application~1json/schema`);
    if (!fits) throw breach(`${operation.id} answers ${status} with a body, which its contract does not name.`);
    // The sent values, after their `toJSON`.
    if (fits(JSON.parse(JSON.stringify(body)))) return;
    throw breach(`${operation.id} answers ${status} against its contract: ${ajv.errorsText(fits.errors)}.`);
  };

  return (operation) => (_req, res, next) => {
    const send = res.json;
    res.json = (body: unknown): Response => {
      res.json = send;
      if (res.statusCode < 500) check(operation, res.statusCode, body);
      return res.json(body);
    };
    checkStream(res, (body) => check(operation, res.statusCode, body));
    next();
  };
});

/** Checks JSON that is written in parts, before the last part is sent. */
function checkStream(res: Response, check: (body: unknown) => void): void {
  const parts: Buffer[] = [];
  const [write, end] = [res.write, res.end];
  const isJson = () => String(res.getHeader('content-type')).startsWith('application/json');
  Object.assign(res, {
    write: (...args: Parameters<typeof write>) => {
      if (isJson()) parts.push(Buffer.from(args[0]));
      return write.apply(res, args);
    },
    end: (...args: Parameters<typeof end>) => {
      if (parts.length > 0) check(JSON.parse(Buffer.concat(parts).toString()));
      return end.apply(res, args);
    },
  });
}
