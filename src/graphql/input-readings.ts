import {
  type GraphQLArgument,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLSchema,
  getDirectiveValues,
  getNullableType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import {
  fieldsReader,
  itemsReader,
  knownReading,
  type ReadValue,
  textReader,
  unread,
} from '../validation/read-value.js';
import { rulesOf } from './constraints.js';

/**
 * Reads the arguments of a field as `@text(reading:)` says. In an input, an empty text in an optional field counts as
 * missing. In a filter it does not, because the filter would then list everything.
 */
export const argumentsReader = (schema: GraphQLSchema, args: readonly GraphQLArgument[]): ReadValue =>
  fieldsReader(args.map((arg) => ({ name: arg.name, read: readerOf(schema, arg), mayBeLeftOut: false })));

type Declared = Pick<GraphQLInputField, 'astNode' | 'type'>;

function readerOf(schema: GraphQLSchema, declared: Declared): ReadValue {
  const reading = knownReading(argumentsOf(schema, declared, 'text')['reading']);
  if (reading !== undefined) return textReader(reading);
  const type = getNullableType(declared.type);
  if (isInputObjectType(type)) return objectReader(schema, type);
  if (!isListType(type)) return unread;
  const item = getNullableType(type.ofType);
  const maxItems = Number(argumentsOf(schema, declared, 'size')['max'] ?? Number.POSITIVE_INFINITY);
  return isInputObjectType(item) ? itemsReader(objectReader(schema, item), maxItems) : unread;
}

/** The arguments of a field's directive. Empty if the field does not have the directive. */
function argumentsOf(schema: GraphQLSchema, { astNode }: Declared, name: string): Readonly<Record<string, unknown>> {
  const directive = schema.getDirective(name);
  return (directive && astNode && getDirectiveValues(directive, astNode)) ?? {};
}

const FILTER = 'OrderFilter';

const objectReader = (schema: GraphQLSchema, type: GraphQLInputObjectType): ReadValue =>
  fieldsReader(
    Object.values(type.getFields()).map((field) => {
      const refusesEmpty = rulesOf(schema, field).some((rule) => rule('') !== undefined);
      const mayBeLeftOut = refusesEmpty && !isNonNullType(field.type) && type.name !== FILTER;
      return { name: field.name, read: readerOf(schema, field), mayBeLeftOut };
    }),
  );
