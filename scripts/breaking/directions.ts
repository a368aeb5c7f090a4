import { isDeepStrictEqual } from 'node:util';
import { type Fields, isFields } from '../../src/base/values.js';
import { resolved } from '../codegen/openapi.js';
import { fields, list } from './description.js';
import { isWithin } from './patterns.js';
import { brokenSent, byType } from './webhook.js';

/**
 * Rules that redocly has not, or has for both directions alike: a request must be accepted as before, an answer must
 * keep what it promised. They compare each operation that both descriptions have. Bodies sent to receivers are compared
 * only by them.
 */

type Direction = 'request' | 'answer' | 'sent';

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** `GET /path` → the operation. */
export function operationsIn(document: unknown): Map<string, Fields> {
  return new Map(
    Object.entries(fields(fields(document)['paths'])).flatMap(([path, item]) =>
      methods.flatMap((method): [string, Fields][] => {
        const operation = fields(item)[method];
        return isFields(operation) ? [[`${method.toUpperCase()} ${path}`, operation]] : [];
      }),
    ),
  );
}

/** The lines of one comparison of two descriptions. */
export function brokenDirections(before: Fields, now: Fields): string[] {
  const operations = operationsIn(now);
  return [...operationsIn(before)].flatMap(([name, was]) => {
    const is = operations.get(name);
    return is ? new Comparison(before, now, name).operation(was, is) : [`${name} is gone`];
  });
}

/** Lines that say what breaks a receiver when the JSON Schema `released` becomes `current`. */
export const webhookBreaks = (released: Fields, current: Fields): string[] =>
  new Comparison(released, current, 'body').schema(released, current, { direction: 'sent', path: '' });

class Comparison {
  constructor(
    private readonly before: Fields,
    private readonly now: Fields,
    private readonly name: string,
    private readonly visited = new Set<string>(),
  ) {}

  operation(was: Fields, is: Fields): string[] {
    return [
      ...(was['operationId'] === is['operationId']
        ? []
        : [`${this.name} has another operationId: ${is['operationId']}`]),
      ...this.security(was, is),
      ...this.requestBody(was['requestBody'], is['requestBody']),
      ...this.parameters(was, is),
      ...this.answers(fields(was['responses']), fields(is['responses'])),
    ];
  }

  /** Each way to authenticate that was enough must be enough still; none at all is one of them. */
  private security(was: Fields, is: Fields): string[] {
    const waysOf = (document: Fields, { security }: Fields): readonly unknown[] => {
      const ways = list(security ?? document['security']);
      return ways.length > 0 ? ways : [{}];
    };
    const ways = waysOf(this.now, is);
    const isEnough = (way: unknown) =>
      ways.some((other) => isDeepStrictEqual(other, way) || isDeepStrictEqual(other, {}));
    return waysOf(this.before, was).every(isEnough) ? [] : [`${this.name} wants credentials that it did not`];
  }

  private requestBody(was: unknown, is: unknown): string[] {
    const [before, now] = this.resolved(was, is);
    if (now['required'] === true && before['required'] !== true) {
      return [`${this.name} wants a body, which could be left out`];
    }
    return this.contents(before, now, 'request', ' body');
  }

  private parameters(was: Fields, is: Fields): string[] {
    const keyOf = (parameter: Fields) => `${parameter['in']} ${parameter['name']}`;
    const parametersOf = (document: Fields, { parameters }: Fields) =>
      list(parameters).map((each) => fields(resolved(document, each)));
    const present = new Map(parametersOf(this.now, is).map((parameter) => [keyOf(parameter), parameter]));
    return parametersOf(this.before, was).flatMap((parameter) => {
      const now = present.get(keyOf(parameter));
      const at: At = { direction: 'request', path: ` ${parameter['name']}` };
      return now ? this.schema(parameter['schema'], now['schema'], at) : [`${this.name}${at.path} is gone`];
    });
  }

  private answers(was: Fields, is: Fields): string[] {
    return Object.keys(was).flatMap((status) => {
      if (!(status in is)) return [];
      const [before, now] = this.resolved(was[status], is[status]);
      return [...this.headers(before, now, status), ...this.contents(before, now, 'answer', ` ${status}`)];
    });
  }

  private headers(was: Fields, is: Fields, status: string): string[] {
    return Object.entries(fields(was['headers'])).flatMap(([header, value]) => {
      const [before, now] = this.resolved(value, fields(is['headers'])[header]);
      const isOptional = before['required'] === true && now['required'] !== true;
      const path = ` ${status}.${header}`;
      return [
        ...(isOptional ? [`${this.name}${path} is not always there any more`] : []),
        ...this.schema(before['schema'], now['schema'], { direction: 'answer', path }),
      ];
    });
  }

  private contents(was: Fields, is: Fields, direction: Direction, path: string): string[] {
    const schemaOf = ({ content }: Fields, type: string) => fields(fields(content)[type])['schema'];
    const types = Object.keys(fields(was['content']));
    return types.flatMap((type) => this.schema(schemaOf(was, type), schemaOf(is, type), { direction, path }));
  }

  schema(was: unknown, is: unknown, at: At): string[] {
    const key = JSON.stringify([was, is, at.direction]);
    if (was === undefined || is === undefined || (isFields(was) && '$ref' in was && this.visited.has(key))) return [];
    this.visited.add(key);
    const [before, now] = this.resolved(was, is);
    const path = `${this.name}${at.path}`;
    const lines =
      at.direction === 'sent'
        ? [...brokenSent({ before, now, path }), ...this.newForms(before, now, at)]
        : brokenIn(before, now, at.direction).map((what) => `${path} ${what}`);
    return [...lines, ...this.inside(before, now, at)];
  }

  private inside(before: Fields, now: Fields, at: At): string[] {
    const properties = fields(now['properties']);
    const isGone = (name: string) => (isFields(now['properties']) || at.direction === 'sent') && !(name in properties);
    return [
      ...Object.entries(fields(before['properties'])).flatMap(([name, was]) => {
        const path = `${at.path}.${name}`;
        return isGone(name) ? [`${this.name}${path} is gone`] : this.schema(was, properties[name], { ...at, path });
      }),
      ...this.schema(before['items'], now['items'], { ...at, path: `${at.path}[]` }),
      ...(isFields(before['additionalProperties'])
        ? this.schema(before['additionalProperties'], now['additionalProperties'], { ...at, path: `${at.path}.*` })
        : []),
      ...(at.direction === 'sent' ? [] : ['allOf', 'oneOf', 'anyOf']).flatMap((keyword) =>
        list(before[keyword]).flatMap((was, index) => this.schema(was, list(now[keyword])[index], at)),
      ),
    ];
  }

  /** Each form that is sent now must keep the promises of one that was known. */
  private newForms(before: Fields, now: Fields, at: At): string[] {
    const keeps = (form: unknown) => (was: unknown) =>
      new Comparison(this.before, this.now, '', new Set(this.visited)).schema(was, form, at).length === 0;
    return ['oneOf', 'anyOf'].flatMap((keyword) => {
      if (before[keyword] === undefined) return [];
      const forms = now[keyword] === undefined ? byType(now) : list(now[keyword]);
      const areKnown = forms.every((form) => list(before[keyword]).some(keeps(form)));
      return areKnown ? [] : [`${this.name}${at.path} can have another form`];
    });
  }

  private resolved(was: unknown, is: unknown): [Fields, Fields] {
    return [fields(resolved(this.before, was)), fields(resolved(this.now, is))];
  }
}

interface At {
  readonly direction: Direction;
  readonly path: string;
}

/** Values that have gone from a list that is open, or that belongs to a request. */
function lostValues(was: Fields, is: Fields, direction: Direction): unknown[] {
  const values = list(is['x-extensible-enum'] ?? is['enum']);
  const isFree = is['x-extensible-enum'] === undefined && is['enum'] === undefined && direction === 'request';
  const listed = list(was['x-extensible-enum'] ?? (direction === 'request' ? was['enum'] : undefined));
  return isFree ? [] : listed.filter((value) => !values.includes(value));
}

const TEXT = '^[^\\x00]*$';

function brokenIn(was: Fields, is: Fields, direction: Exclude<Direction, 'sent'>): string[] {
  const [earlier, later] = [was['pattern'], is['pattern']];
  const becomes = (keyword: string) => was[keyword] !== true && is[keyword] === true;
  const lost = lostValues(was, is, direction);
  const values =
    lost.length > 0 ? [`has lost values (${'enum' in was ? 'enum' : 'x-extensible-enum'}): ${lost.join(', ')}`] : [];
  if (direction === 'answer') {
    return [
      ...values,
      ...(isWithin(later, earlier) ? [] : ['does not keep its pattern']),
      ...(becomes('writeOnly') ? ['is not answered any more (writeOnly)'] : []),
    ];
  }
  return [
    ...values,
    // The format `text` always meant this pattern, for those who do not know it.
    ...(isWithin(earlier ?? (was['format'] === 'text' ? TEXT : undefined), later)
      ? []
      : ['accepts less than before (pattern)']),
    ...(becomes('readOnly') ? ['is not accepted any more (readOnly)'] : []),
    ...(isDeepStrictEqual(was['default'], is['default']) ? [] : ['means something else when it is left out (default)']),
  ];
}
