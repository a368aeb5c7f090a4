import { describe, expect, test } from '@jest/globals';
import {
  buildSchema,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
} from 'graphql';
import { secretFields } from '../../generated/redact.js';
import { graphqlDrafts } from '../../src/pages/guide/reference/graphql.js';
import { sdl } from './contract-files.js';

interface Member {
  readonly name: string;
  readonly description?: string | null | undefined;
  readonly deprecationReason?: string | null | undefined;
}

const schema = buildSchema(sdl);
const own = Object.values(schema.getTypeMap()).filter(({ astNode }) => astNode);

/** The fields of a type with their arguments, or its enum values. */
function membersOf(type: GraphQLNamedType): Member[] {
  if (isEnumType(type)) return [...type.getValues()];
  if (isInputObjectType(type)) return Object.values(type.getFields());
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap((field) => [field, ...field.args]);
}

const REASON = /^Use `\w+`\. Deprecated since (\d{4}-\d\d-\d\d), until (\d{4}-\d\d-\d\d)\.$/;

/** Deprecations that name no replacement, or last less than a year. */
function deprecationFaults(text: string): string[] {
  const types = Object.values(buildSchema(text).getTypeMap()).filter(({ astNode }) => astNode);
  return types.flatMap(membersOf).flatMap(({ name, deprecationReason: reason }) => {
    const [, since = '', until = ''] = REASON.exec(reason ?? '') ?? [];
    const isYear = Number(until.replaceAll('-', '')) - Number(since.replaceAll('-', '')) >= 10_000;
    return reason == null || (since !== '' && isYear) ? [] : [name];
  });
}

describe('a deprecated part', () => {
  const marked = (mark: string) => sdl.replace(/^ {2}trackingCode: .*$/m, (field) => `${field} ${mark}`);
  const reason = (until: string) =>
    `@deprecated(reason: "Use \`barcode\`. Deprecated since 2026-11-22, until ${until}.")`;

  test('names its replacement, and stays for a year', () => {
    expect(deprecationFaults(sdl)).toEqual([]);
    expect(deprecationFaults(marked(reason('2027-11-22')))).toEqual([]);
    for (const mark of ['@deprecated', '@deprecated(reason: "Old.")', reason('2027-11-21')])
      expect(deprecationFaults(marked(mark))).toEqual(['trackingCode']);
  });

  test('is shown in the guide', () => {
    const markdown = graphqlDrafts(marked(reason('2027-11-22')))
      .map((page) => page.markdown)
      .join('\n');
    expect(markdown).toMatch(/`trackingCode`.*\*\*Deprecated:\*\* Use `barcode`\. Deprecated since 2026-11-22/);
  });
});

describe('schema.graphql', () => {
  test('every type, field, argument and enum value has a description', () => {
    const all = own.flatMap((type): Member[] => [
      type,
      ...membersOf(type).map((member) => ({ ...member, name: `${type.name}.${member.name}` })),
    ]);
    expect(all.length).toBeGreaterThan(own.length);
    expect(all.filter(({ description }) => !description?.trim()).map(({ name }) => name)).toEqual([]);
  });

  test('every directive has a description', () => {
    const directives = schema.getDirectives().filter(({ astNode }) => astNode);
    expect(directives.filter(({ description }) => !description).map(({ name }) => name)).toEqual([]);
  });

  test('passwords and keys are kept out of the log', () => {
    const names = own.flatMap(membersOf).map(({ name }) => name);
    const secret = [...new Set(names.filter((name) => /password|^apiKey$|secret|token/i.test(name)))];
    expect(secret).toContain('apiKey');
    expect(secret.filter((name) => !secretFields.some((field) => field === name))).toEqual([]);
  });
});
