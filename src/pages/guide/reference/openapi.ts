import { type Fields, fieldsOf } from '../../../base/values.js';
import { resolve as resolveIn } from '../../../validation/document.js';
import type { Draft } from '../contents.js';
import { slugOf } from '../markdown.js';
import { bodySample, requestSample } from '../samples.js';
import { type FileOf, json, linkTo, row, schemaSection, table, typeOf } from './schemas.js';

/** Resolves references to schemas. `fileOf` returns the file that describes a schema. */
interface References {
  readonly resolve: (value: unknown) => Fields;
  readonly fileOf: FileOf;
}

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly node: Fields;
}

const methods = ['get', 'post', 'put', 'delete'];
/** Answers from this status on are left out: the page of errors describes them. */
const FIRST_ERROR = 400;

/**
 * Makes the pages of a bundled OpenAPI description. Their slugs begin with `slug`, their titles with `name`. A schema
 * that `base` has, too, is described on the pages of `base`, whose slugs begin with `baseSlug`.
 */
export function openapiDrafts(spec: object, slug: string, name: string, base?: object, baseSlug = ''): Draft[] {
  const document = fieldsOf(spec);
  const resolve = (value: unknown): Fields => fieldsOf(resolveIn(spec, value));
  const [schemas, described] = [schemasOf(spec), schemasOf(base)];
  const slugOfSchema = (schema: string) => `${schema in described ? baseSlug : slug}-schemas-${letters(schema)}`;
  const fileOf: FileOf = (schema) => `${slugOfSchema(schema)}.md`;
  const references = { resolve, fileOf };
  const tags = [document['tags']].flat().map(fieldsOf);
  const operations = operationsOf(document);
  const pageOf = (tag: Fields): string => `${slug}-${slugOf(String(tag['name']))}`;
  const taggedWith = (tag: Fields): Operation[] =>
    operations.filter(({ node }) => [node['tags']].flat().includes(tag['name']));
  const overview = [
    `# ${name}: overview`,
    String(fieldsOf(document['info'])['description']).trim(),
    ...tags.flatMap((tag) => [
      `## ${tag['name']}`,
      String(tag['description']).trim(),
      ...table(
        ['operation', 'request'],
        taggedWith(tag).map((operation) => listed(operation, pageOf(tag))),
      ),
    ]),
  ];
  const chapters = tags.map((tag) => ({
    slug: pageOf(tag),
    markdown: [
      `# ${name}: ${tag['name']}`,
      String(tag['description']).trim(),
      ...taggedWith(tag).flatMap((operation) => operationSection(operation, references)),
    ].join('\n\n'),
  }));
  const index = Object.keys(schemas).map((schema) => `- ${linkTo(schema, fileOf)}`);
  const schemaPages = ranges.map((range) => {
    const page = `${slug}-schemas-${range}`;
    const own = Object.entries(schemas).filter(([schema]) => slugOfSchema(schema) === page);
    const sections = own.map(([schema, node]) => schemaSection(schema, fieldsOf(node), resolve, fileOf));
    return { slug: page, markdown: [`# ${name}: schemas ${range.replace('-', ' to ')}`, ...sections].join('\n\n') };
  });
  return [
    { slug, markdown: overview.join('\n\n') },
    ...chapters,
    { slug: `${slug}-schemas`, markdown: `# ${name}: schemas\n\n${index.join('\n')}` },
    ...schemaPages,
  ];
}

const schemasOf = (spec: unknown): Fields => fieldsOf(fieldsOf(fieldsOf(spec)['components'])['schemas']);

/** The schemas are split over pages by first letter, so that no page is large. */
const ranges = ['a-d', 'e-o', 'p-r', 's-z'] as const;
const letters = (schema: string) => ranges.find((range) => new RegExp(`^[${range}]`, 'i').test(schema)) ?? 's-z';

const operationsOf = (document: Fields): Operation[] =>
  Object.entries(fieldsOf(document['paths'])).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const node = fieldsOf(item)[method];
      return node === undefined ? [] : [{ method: method.toUpperCase(), path, node: fieldsOf(node) }];
    }),
  );

const listed = ({ method, path, node }: Operation, page: string): string =>
  row(`[${node['summary']}](${page}.md#${slugOf(String(node['summary']))})`, `\`${method} ${path}\``);

function operationSection({ method, path, node }: Operation, references: References): string[] {
  const { resolve, fileOf } = references;
  const parameters = [node['parameters'] ?? []].flat().map((parameter) => {
    const { name, in: place, required, schema, description, 'x-since': since } = resolve(parameter);
    const says = `${String(description).trim()}${since === undefined ? '' : ` Since ${since}.`}`;
    return row(`\`${name}\``, place, required === true ? 'yes' : '', typeOf(fieldsOf(schema), fileOf), says);
  });
  const id = String(node['operationId']);
  const body = node['requestBody'] === undefined ? [] : contentOf(resolve(node['requestBody']), references, id);
  return [
    `## ${node['summary']}`,
    `\`${method} ${path}\``,
    [...rightsOf(node), `Operation \`${id}\`.`].join(' '),
    String(node['description']).trim(),
    ...table(['parameter', 'in', 'required', 'type', 'is'], parameters),
    ...(body.length > 0 ? ['**Request body**', ...body] : requestSample(id)),
    '**Answers**',
    ...answersOf(fieldsOf(node['responses']), references),
  ];
}

function rightsOf(node: Fields): string[] {
  const { 'x-since': since, 'x-roles': roles, 'x-scopes': scopes, security } = node;
  return [
    ...(since === undefined ? [] : [`Since ${since}.`]),
    ...(Array.isArray(security) && security.length === 0 ? ['Without authentication.'] : []),
    ...(roles === undefined ? [] : ['For operators.']),
    ...(Array.isArray(scopes)
      ? [`Scopes of keys: ${scopes.map((scope) => `\`${scope}\``).join(', ') || 'none'}.`]
      : []),
  ];
}

/** Describes the content of an answer, or of the body that the operation `taker` takes. */
const contentOf = (holder: Fields, { resolve, fileOf }: References, taker?: string): string[] =>
  Object.entries(fieldsOf(holder['content'])).flatMap(([mediaType, content]) => {
    const { schema, examples } = fieldsOf(content);
    const shown = Object.entries(fieldsOf(examples)).flatMap(([key, example]) => {
      const { summary, value } = resolve(example);
      const title = summary === undefined ? [] : [`${summary}:`];
      if (!mediaType.endsWith('json')) return title;
      const text = JSON.stringify(value, null, 2);
      const name = String(fieldsOf(example)['$ref'] ?? key).replace(/^.*\//, '');
      return [...title, taker === undefined ? json(value) : bodySample(taker, name, text)];
    });
    return [`${typeOf(fieldsOf(schema), fileOf)}, as \`${mediaType}\``, ...shown];
  });

function answersOf(responses: Fields, references: References): string[] {
  const errors = Object.keys(responses).filter((status) => Number(status) >= FIRST_ERROR);
  const answers = Object.entries(responses).filter(([status]) => Number(status) < FIRST_ERROR);
  return [
    ...answers.flatMap(([status, response]) => {
      const answer = references.resolve(response);
      const headers = Object.keys(fieldsOf(answer['headers'])).filter((header) => !/^X-R/.test(header));
      const also = headers.length === 0 ? '' : ` With ${headers.map((header) => `\`${header}\``).join(', ')}.`;
      const says = `\`${status}\`: ${String(answer['description']).trim()}${also}`;
      return [says, ...contentOf(answer, references)];
    }),
    `Errors: ${errors.map((status) => `\`${status}\``).join(', ')}. [What to do about each](errors.md).`,
  ];
}
