import { type Document, type Operation, operationsOf, resolve } from '../operations.js';

/** Reads the requests that samples of code send, from the examples of a contract. */

export interface SampleRequest extends Operation {
  /** The name of the example in the contract. Empty for an operation without a body. */
  readonly example: string;
  /** Values of the path parameters, in the order of the path. */
  readonly pathValues: readonly (string | number)[];
  /** Values of the query parameters that are required. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: unknown;
  /** True if no API key may call the operation: a person must sign in. */
  readonly isForPeople: boolean;
}

/** The requests of all operations. An operation whose body has no example in JSON is left out. */
export function requestsOf(document: Document): SampleRequest[] {
  return operationsOf(document).flatMap((operation) => {
    const node = nodeOf(document, operation);
    const parameters = [node['parameters'] ?? []].flat().map((each) => resolve(document, each));
    const examples = operation.bodies.length > 0 ? bodiesOf(document, node) : [['', undefined] as const];
    const values = operation.pathParameters.map(({ name, isInteger }) => {
      const value = exampleOf(parameters, name);
      return isInteger ? Number(value) : value;
    });
    const required = parameters.filter((each) => each['in'] === 'query' && each['required'] === true);
    const query = Object.fromEntries(required.map(({ name }) => [String(name), exampleOf(parameters, String(name))]));
    const scopes = node['x-scopes'];
    const isForPeople = Array.isArray(scopes) && scopes.length === 0;
    return examples.map(([example, body]) => ({ ...operation, example, pathValues: values, query, body, isForPeople }));
  });
}

const nodeOf = (document: Document, { path, method }: Operation) =>
  resolve(document, resolve(document, resolve(document, document['paths'])[path])[method.toLowerCase()]);

/** The examples of the JSON body, with their names: those of `components`, or else those of the operation. */
function bodiesOf(document: Document, node: Document): (readonly [string, unknown])[] {
  const content = resolve(document, resolve(document, node['requestBody'])['content']);
  const { examples } = resolve(document, content['application/json']);
  return Object.entries(resolve(document, examples)).map(([key, example]) => {
    const { $ref }: { $ref?: string } = Object(example);
    return [$ref?.split('/').at(-1) ?? key, resolve(document, example)['value']];
  });
}

function exampleOf(parameters: readonly Document[], name: string): string {
  const { example } = parameters.find((each) => each['name'] === name) ?? {};
  if (example === undefined) throw new Error(`The contract has no example of the parameter ${name}.`);
  return String(example);
}

/** The path with its values, and the query. */
export function addressOf({ path, pathValues, query }: SampleRequest): string {
  const values = pathValues.values();
  const filled = path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(String(values.next().value)));
  const asked = new URLSearchParams(query).toString();
  return asked === '' ? filled : `${filled}?${asked}`;
}

const endings: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'text/csv': 'csv',
};

/** The name of the file that keeps an answer which is not JSON. Undefined for JSON, and for an empty answer. */
export function fileOf({ answers, answerSchema }: Operation): string | undefined {
  const [type] = answers;
  return type === undefined || answerSchema !== undefined ? undefined : `answer.${endings[type] ?? 'bin'}`;
}
