import { isDeepStrictEqual } from 'node:util';
import { isWithin } from './patterns.js';

/**
 * What redocly's rules leave out, or say without regard to the direction: a request must be accepted as before, an answer must keep
 * what it promised. Compares each operation that both descriptions have.
 */

type Fields = Readonly<Record<string, unknown>>;

/** A description with those that it refers to, by the name of their files. */
export interface Description {
  readonly file: string;
  readonly documents: Readonly<Record<string, unknown>>;
}

type Direction = 'request' | 'answer';

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const fields = (value: unknown): Fields => (isFields(value) ? value : {});
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** A part of a description, with the file that its references start from. */
interface Part {
  readonly file: string;
  readonly node: Fields;
}

function partOf({ documents }: Description, value: unknown, file: string): Part {
  const { $ref: reference } = fields(value);
  if (typeof reference !== 'string') return { file, node: fields(value) };
  const [path = '', pointer = ''] = reference.split('#');
  const target = path === '' ? file : path.replace('./', '');
  const steps = pointer.split('/').slice(1);
  const node = steps.reduce<unknown>(
    (at, step) => fields(at)[step.replaceAll('~1', '/').replaceAll('~0', '~')],
    documents[target],
  );
  return partOf({ documents, file: target }, node, target);
}

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
export function brokenDirections(before: Description, now: Description): string[] {
  const documents = [before.documents[before.file], now.documents[now.file]] as const;
  const operations = operationsIn(documents[1]);
  return [...operationsIn(documents[0])].flatMap(([name, was]) => {
    const is = operations.get(name);
    return is ? new Comparison(before, now, name).operation(was, is) : [];
  });
}

class Comparison {
  private readonly visited = new Set<string>();

  constructor(
    private readonly before: Description,
    private readonly now: Description,
    private readonly name: string,
  ) {}

  operation(was: Fields, is: Fields): string[] {
    return [
      ...this.security(was, is),
      ...this.requestBody(was['requestBody'], is['requestBody']),
      ...this.parameters(was, is),
      ...this.answers(fields(was['responses']), fields(is['responses'])),
    ];
  }

  /** Each way to authenticate that was enough must be enough still; none at all is one of them. */
  private security(was: Fields, is: Fields): string[] {
    const waysOf = ({ documents, file }: Description, { security }: Fields): readonly unknown[] => {
      const ways = list(security ?? fields(documents[file])['security']);
      return ways.length > 0 ? ways : [{}];
    };
    const ways = waysOf(this.now, is);
    const isEnough = (way: unknown) =>
      ways.some((other) => isDeepStrictEqual(other, way) || isDeepStrictEqual(other, {}));
    return waysOf(this.before, was).every(isEnough) ? [] : [`${this.name} wants credentials that it did not`];
  }

  private requestBody(was: unknown, is: unknown): string[] {
    const [before, now] = this.parts(was, is, this.before.file, this.now.file);
    if (now.node['required'] === true && before.node['required'] !== true) {
      return [`${this.name} wants a body, which could be left out`];
    }
    return this.contents(before, now, 'request', 'body');
  }

  private parameters(was: Fields, is: Fields): string[] {
    const keyOf = ({ node }: Part) => `${node['in']} ${node['name']}`;
    const parametersOf = (description: Description, { parameters }: Fields) =>
      list(parameters).map((each) => partOf(description, each, description.file));
    const earlier = new Map(parametersOf(this.before, was).map((part) => [keyOf(part), part]));
    return parametersOf(this.now, is).flatMap((part) => {
      const before = earlier.get(keyOf(part));
      const path = `${part.node['name']}`;
      return before ? this.schemas(before, part, 'request', path) : [];
    });
  }

  private answers(was: Fields, is: Fields): string[] {
    return Object.keys(was).flatMap((status) => {
      if (!(status in is)) return [];
      const [before, now] = this.parts(was[status], is[status], this.before.file, this.now.file);
      return [...this.headers(before, now, status), ...this.contents(before, now, 'answer', `${status}`)];
    });
  }

  private headers(was: Part, is: Part, status: string): string[] {
    return Object.entries(fields(was.node['headers'])).flatMap(([header, value]) => {
      const [before, now] = this.parts(value, fields(is.node['headers'])[header], was.file, is.file);
      const isOptional = before.node['required'] === true && now.node['required'] !== true;
      const path = `${status}.${header}`;
      return [
        ...(isOptional ? [`${this.name} ${path} is not always there any more`] : []),
        ...this.schemas(before, now, 'answer', path),
      ];
    });
  }

  private contents(was: Part, is: Part, direction: Direction, path: string): string[] {
    const types = Object.keys(fields(was.node['content']));
    return types.flatMap((type) => {
      const contentOf = ({ file, node }: Part): Part => ({ file, node: fields(fields(node['content'])[type]) });
      return this.schemas(contentOf(was), contentOf(is), direction, path);
    });
  }

  private schemas(was: Part, is: Part, direction: Direction, path: string): string[] {
    return this.schema(was.node['schema'], is.node['schema'], { was, is, direction, path });
  }

  private schema(was: unknown, is: unknown, at: At): string[] {
    const key = JSON.stringify([was, is, at.direction]);
    if (was === undefined || is === undefined || (isFields(was) && '$ref' in was && this.visited.has(key))) return [];
    this.visited.add(key);
    const [before, now] = this.parts(was, is, at.was.file, at.is.file);
    const lines = brokenIn(before.node, now.node, at.direction).map((what) => `${this.name} ${at.path} ${what}`);
    return [...lines, ...this.inside({ ...at, was: before, is: now })];
  }

  private inside(at: At): string[] {
    const [before, now] = [at.was.node, at.is.node];
    const properties = fields(now['properties']);
    return [
      ...Object.entries(fields(before['properties'])).flatMap(([name, was]) =>
        this.schema(was, properties[name], { ...at, path: `${at.path}.${name}` }),
      ),
      ...this.schema(before['items'], now['items'], { ...at, path: `${at.path}[]` }),
      ...['allOf', 'oneOf', 'anyOf'].flatMap((keyword) =>
        list(before[keyword]).flatMap((was, index) => this.schema(was, list(now[keyword])[index], at)),
      ),
    ];
  }

  private parts(was: unknown, is: unknown, wasFile: string, isFile: string): [Part, Part] {
    return [partOf(this.before, was, wasFile), partOf(this.now, is, isFile)];
  }
}

interface At {
  readonly was: Part;
  readonly is: Part;
  readonly direction: Direction;
  readonly path: string;
}

function brokenIn(was: Fields, is: Fields, direction: Direction): string[] {
  const [earlier, later] = [text(was['pattern']), text(is['pattern'])];
  const becomes = (keyword: string) => was[keyword] !== true && is[keyword] === true;
  if (direction === 'answer') {
    return [
      ...(isWithin(later, earlier) ? [] : ['does not keep its pattern']),
      ...(becomes('writeOnly') ? ['is not answered any more (writeOnly)'] : []),
    ];
  }
  return [
    ...(isWithin(earlier, later) ? [] : ['accepts less than before (pattern)']),
    ...(becomes('readOnly') ? ['is not accepted any more (readOnly)'] : []),
    ...(isDeepStrictEqual(was['default'], is['default']) ? [] : ['means something else when it is left out (default)']),
  ];
}
