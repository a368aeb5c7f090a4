import type {
  DirectiveNode,
  FieldDefinitionNode,
  InputValueDefinitionNode,
  TypeDefinitionNode,
  TypeNode,
} from 'graphql';
import { isTypeDefinitionNode, Kind, parse, print } from 'graphql';
import type { Draft } from '../contents.js';
import { linkTo, row, table } from './schemas.js';

/**
 * Makes two pages of a GraphQL schema: one of operations and types in the order of the contract, one of input types.
 */
export function graphqlDrafts(sdl: string): Draft[] {
  const types = parse(sdl).definitions.filter(isTypeDefinitionNode);
  const sectionsOn = (page: string) => types.filter(({ name }) => pageOf(name.value) === page).flatMap(sectionOf);
  return [
    { slug: TYPES, markdown: ['# GraphQL: types', INTRODUCTION, ...sectionsOn(TYPES)].join('\n\n') },
    { slug: INPUTS, markdown: ['# GraphQL: input types', ...sectionsOn(INPUTS)].join('\n\n') },
  ];
}

const TYPES = 'graphql';
const INPUTS = 'graphql-inputs';

/** The page that describes a type. Only input types have these endings. */
const pageOf = (type: string): string => (/(Input|Filter)$/.test(type) ? INPUTS : TYPES);

const INTRODUCTION = `Operations are the fields of [Query](#query) and [Mutation](#mutation), at \`POST /graphql\`. How requests are sent is
said [here](behaviour.md#graphql-over-http); the [explorer](/graphql) runs them.`;

/** Types that every GraphQL service has. */
const SCALARS = new Set(['ID', 'String', 'Int', 'Float', 'Boolean']);

const sectionOf = (node: TypeDefinitionNode): string[] => [`## ${node.name.value}`, says(node), ...tablesOf(node)];

function tablesOf(node: TypeDefinitionNode): string[] {
  switch (node.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
      return [...fieldsTable(node.fields ?? []), ...argumentTables(node.fields ?? [])];
    case Kind.INPUT_OBJECT_TYPE_DEFINITION:
      return inputTable('field', node.fields ?? []);
    case Kind.ENUM_TYPE_DEFINITION:
      return table(
        ['value', 'is'],
        (node.values ?? []).map((value) => row(`\`${value.name.value}\``, says(value))),
      );
    default:
      return [];
  }
}

interface Documented {
  readonly description?: { readonly value: string } | undefined;
  readonly directives?: readonly DirectiveNode[] | undefined;
}

function says({ description, directives = [] }: Documented): string {
  const deprecated = directives.find(({ name }) => name.value === 'deprecated')?.arguments?.[0]?.value;
  const reason = deprecated?.kind === Kind.STRING ? `**Deprecated:** ${deprecated.value}` : '';
  return [description?.value ?? '', reason].filter((sentence) => sentence !== '').join(' ');
}

const fieldsTable = (fields: readonly FieldDefinitionNode[]): string[] =>
  table(
    ['field', 'type', 'is'],
    fields.map((field) => row(`\`${field.name.value}\``, typeOf(field.type), says(field))),
  );

const argumentTables = (fields: readonly FieldDefinitionNode[]): string[] =>
  fields.flatMap(({ name, arguments: taken = [] }) =>
    taken.length === 0 ? [] : [`Arguments of \`${name.value}\`:`, ...inputTable('argument', taken)],
  );

const inputTable = (head: string, values: readonly InputValueDefinitionNode[]): string[] =>
  table(
    [head, 'type', 'limits', 'is'],
    values.map((value) => row(`\`${value.name.value}\``, typeOf(value.type), limitsOf(value), says(value))),
  );

/** Writes `[Type!]!` in words, with a link to the type. A type without `!` may be null. */
function typeOf(type: TypeNode): string {
  if (type.kind === Kind.NON_NULL_TYPE) return bare(type.type);
  return `${bare(type)} or null`;
}

function bare(type: TypeNode): string {
  if (type.kind === Kind.LIST_TYPE) return `list of ${typeOf(type.type)}`;
  if (type.kind === Kind.NON_NULL_TYPE) return bare(type.type);
  const name = type.name.value;
  return SCALARS.has(name) ? name : linkTo(name, (type) => `${pageOf(type)}.md`);
}

/** Lists the limits and the default of a value, from the contract's directives. */
function limitsOf({ directives = [], defaultValue }: InputValueDefinitionNode): string {
  const limits = directives.map(inWords);
  if (defaultValue) limits.push(`${print(defaultValue)} when left out`);
  return limits.filter((limit) => limit !== '').join(', ');
}

function inWords({ name, arguments: given = [] }: DirectiveNode): string {
  const value = (argument: string): string | undefined => {
    const node = given.find((each) => each.name.value === argument)?.value;
    return node && print(node);
  };
  const [least, max] = [value('min'), value('max')];
  switch (name.value) {
    case 'text':
      return `${least ?? 1} to ${max ?? 255} characters`;
    case 'range':
      return `${value('exclusive') === 'true' ? 'more than ' : ''}${least} to ${max}`;
    case 'size':
      return `${least} to ${max} entries`;
    default:
      return '';
  }
}
