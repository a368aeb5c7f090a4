import type { RequestHandler, Response } from 'express';
import { createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { closed, computedOnce, type Document } from '../../base/contracts/document.js';
import { formats } from '../../base/contracts/field-errors.js';
import { isFields } from '../../base/values.js';
import type { Operation } from '../operation.js';

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

/**
 * Makes the step of an operation that makes a breach of the contract a 500, for tests. The contract is compiled once;
 * the validator's own check would compile it for every status of every operation.
 */
export const answerCheck = computedOnce((document: Document): ((operation: Operation) => RequestHandler) => {
  const contract = closed(document);
  const options = { strict: false, strictNumbers: true, validateSchema: false, formats };
  const ajv = createResponseAjv(contract, { ...options, ajvFormats: { mode: 'full' } }).addSchema(contract, CONTRACT);

  const check = (operation: Operation, status: number, body: unknown): void => {
    const place = placeOf(contract, operation, status);
    if (place === undefined) throw new Error(`${operation.id} answers ${status}, which its contract does not name.`);
    const fits = ajv.getSchema(`${CONTRACT}${place}/content/application~1json/schema`);
    if (!fits) throw new Error(`${operation.id} answers ${status} with a body, which its contract does not name.`);
    // The sent values, after their `toJSON`.
    if (fits(JSON.parse(JSON.stringify(body)))) return;
    throw new Error(`${operation.id} answers ${status} against its contract: ${ajv.errorsText(fits.errors)}.`);
  };

  return (operation) => (_req, res, next) => {
    const send = res.json;
    res.json = (body: unknown): Response => {
      res.json = send;
      if (res.statusCode < 500) check(operation, res.statusCode, body);
      return res.json(body);
    };
    next();
  };
});
