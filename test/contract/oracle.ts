import { parseJson } from '../../src/base/values.js';
import type { Answer } from '../support/http.js';
import { bundles, fields, type Node, type Operation, operationsOf, resolve } from './contract-files.js';
import { schemaCheck } from './schema-check.js';

/** Checks answers only by the contracts, independently of the code that serves them. */

export type ContractName = keyof typeof bundles;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function exampleOf(document: Node, node: Node): unknown {
  const body = fields(resolve(document, node['requestBody']));
  const [example] = Object.values(fields(fields(fields(body['content'])['application/json'])['examples']));
  return fields(resolve(document, example))['value'];
}

function described(contract: ContractName, document: Node, operation: Operation) {
  const { node } = operation;
  return {
    ...operation,
    contract,
    document,
    statuses: Object.keys(fields(node['responses'])),
    parameters: list(node['parameters']).map((parameter) => fields(resolve(document, parameter))),
    /** The first example of the body. */
    example: exampleOf(document, node),
    isPublic: list(node['security'] ?? document['security']).length === 0,
    isStatic: node['x-static'] === true,
    isIdempotent: node['x-idempotent'] === true,
    roles: list(node['x-roles'] ?? ['operator', 'customer']).map(String),
  };
}

/** An operation as its contract describes it. */
export type Described = Readonly<ReturnType<typeof described>>;

/** Every operation of a contract, or of another document if one is given. */
export const describedBy = (contract: ContractName, document: Node = bundles[contract]): Described[] =>
  operationsOf(document).map((operation) => described(contract, document, operation));

export const operations: readonly Described[] = [...describedBy('rest'), ...describedBy('operator')];

type Check = ReturnType<typeof schemaCheck>;

const checks = { rest: schemaCheck(bundles.rest), operator: schemaCheck(bundles.operator) };
const step = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

function responseOf({ document, pointer, node }: Described, status: number) {
  const responses = fields(node['responses']);
  if (!(status in responses)) return undefined;
  const { $ref: reference = `${pointer}/responses/${status}` } = fields(responses[status]);
  return { pointer: String(reference), response: fields(resolve(document, responses[status])) };
}

function headerFaults(document: Node, response: Node, { headers }: Answer): string[] {
  return Object.entries(fields(response['headers'])).flatMap(([name, header]) => {
    const isRequired = fields(resolve(document, header))['required'] === true;
    return isRequired && headers.get(name) === null ? [`the header ${name} is missing`] : [];
  });
}

function bodyFaults(check: Check, pointer: string, response: Node, { headers, text }: Answer): string[] {
  const content = fields(response['content']);
  const types = Object.keys(content);
  if (types.length === 0) return text === '' ? [] : ['there is a body where none is documented'];
  const type = types.find((each) => headers.get('content-type')?.startsWith(each));
  if (type === undefined) return [`it is ${headers.get('content-type')}, not ${types.join(' or ')}`];
  if (type !== 'application/json') return [];
  const { schema } = fields(content[type]);
  const { $ref: place = `${pointer}/content/${step(type)}/schema` } = fields(schema);
  const value = parseJson(text);
  return value === undefined ? ['the body is not JSON'] : check(String(place), value);
}

/** The ways in which an answer breaks the contract of its operation. */
export function complaintsAbout(
  operation: Described,
  answer: Answer,
  check: Check = checks[operation.contract],
): string[] {
  const found = responseOf(operation, answer.status);
  if (!found) return [`${operation.id} does not document ${answer.status}`];
  const { pointer, response } = found;
  return [...headerFaults(operation.document, response, answer), ...bodyFaults(check, pointer, response, answer)].map(
    (fault) => `${operation.id} ${answer.status}: ${fault}`,
  );
}

/** The same for an answer without an operation, which must be a refusal in the error envelope. */
export function complaintsAboutRefusal(answer: Answer): string[] {
  if (answer.status < 400 || answer.status >= 500) return [`${answer.status} is no refusal`];
  const value = parseJson(answer.text);
  return value === undefined ? ['the body is not JSON'] : checks.rest('#/components/schemas/ErrorEnvelope', value);
}
