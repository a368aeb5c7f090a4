import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { bundles, fields, resolve } from '../contract/contract-files.js';
import { complaintsAbout, complaintsAboutRefusal, type Described, operations } from '../contract/oracle.js';
import type { Answer } from '../support/http.js';
import type { FuzzedRequest } from './requests.js';

/** Sends the given bytes exactly as they are, and judges the answer by the contracts. */

const agent = new Agent({ keepAlive: true });

export async function exchange(base: string, { method, target, headers, body }: FuzzedRequest): Promise<Answer> {
  const { hostname, port } = new URL(base);
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes ? { 'Content-Length': String(bytes.length) } : {};
  const sent = request({ agent, hostname, port, method, path: target, headers: { ...headers, ...length } });
  const answered: Promise<IncomingMessage[]> = once(sent, 'response');
  sent.end(bytes);
  const [answer] = await answered;
  if (!answer) throw new Error('there is no answer');
  const pairs = Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]);
  return { status: answer.statusCode ?? 0, headers: new Headers(pairs), text: await text(answer) };
}

const isLiteral = (segment: string | undefined): boolean => segment !== undefined && !segment.startsWith('{');

/** The operation that a request reaches; literal segments win over parameters, whatever the method. */
function reached({ method, target }: FuzzedRequest): Described | undefined {
  const segments = (target.split('?', 1)[0] ?? '').split('/');
  const matching = operations.filter(({ path }) => {
    const template = path.split('/');
    const fits = template.every((part, index) => (isLiteral(part) ? part === segments[index] : segments[index] !== ''));
    return fits && template.length === segments.length;
  });
  const best = matching.find(({ path }) => !path.includes('{')) ?? matching[0];
  return matching.find((operation) => operation.path === best?.path && operation.method === method);
}

const WHOLE = /^(?:0|-?[1-9]\d*)$/;

/** Texts of parameters that the contract calls integers, in the path and the query. */
function integerTexts({ contract, path, parameters }: Described, target: string): string[] {
  const { pathname, searchParams } = new URL(target, 'http://a');
  const segments = pathname.split('/');
  const positions = path.split('/');
  return parameters
    .filter((parameter) => fields(resolve(bundles[contract], parameter['schema']))['type'] === 'integer')
    .flatMap(({ name, in: place }) =>
      place === 'query'
        ? searchParams.getAll(String(name))
        : decodeURIComponent(segments[positions.indexOf(`{${String(name)}}`)] ?? '0'),
    );
}

/** Accepted texts that are no integer as the contract writes them. */
function acceptedTexts(operation: Described, { target }: FuzzedRequest, { status }: Answer): string[] {
  if (status < 200 || status >= 300) return [];
  return integerTexts(operation, target)
    .filter((text) => !WHOLE.test(text))
    .map((text) => `${operation.id} takes ${JSON.stringify(text)} for an integer`);
}

/** Faults of the answer to a request; a 5xx always is one. */
export function faultsOf(request: FuzzedRequest, answer: Answer): string[] {
  if (answer.status >= 500) return [`${request.method} ${request.target} answers ${answer.status}`];
  const isBodiless = request.method === 'HEAD' || (request.method === 'OPTIONS' && answer.status === 204);
  if (isBodiless) return answer.text === '' ? [] : [`${request.method} is answered with a body`];
  const operation = reached(request);
  if (!operation) return complaintsAboutRefusal(answer);
  return [...complaintsAbout(operation, answer), ...acceptedTexts(operation, request, answer)];
}
