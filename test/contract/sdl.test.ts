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
import { sdl } from './contract-files.js';

interface Described {
  readonly name: string;
  readonly description: string | null | undefined;
}

const schema = buildSchema(sdl);
const own = Object.values(schema.getTypeMap()).filter(({ astNode }) => astNode);

function membersOf(type: GraphQLNamedType): Described[] {
  if (isEnumType(type)) return type.getValues().map(({ name, description }) => ({ name, description }));
  if (isInputObjectType(type))
    return Object.values(type.getFields()).map(({ name, description }) => ({ name, description }));
  if (!isObjectType(type) && !isInterfaceType(type)) return [];
  return Object.values(type.getFields()).flatMap(({ name, description, args }) => [
    { name, description },
    ...args.map((arg) => ({ name: `${name}(${arg.name})`, description: arg.description })),
  ]);
}

const describedIn = (type: GraphQLNamedType): Described[] => [
  { name: type.name, description: type.description },
  ...membersOf(type).map(({ name, description }) => ({ name: `${type.name}.${name}`, description })),
];

describe('schema.graphql', () => {
  test('every type, field, argument and enum value has a description', () => {
    const all = own.flatMap(describedIn);
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
