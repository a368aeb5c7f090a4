import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  Kind,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { type Fragments, fieldsBelow, fragmentsOf, type MergedField } from './selections.js';

/** Making a program takes as long as graphql-js takes for a few requests: a document has to come so many times. */
export const TIMES = 4;
/** Characters of texts that have not come so often yet. */
const MAX_COUNTED = 1_000_000;
/** Bytes of documents and programs: what one takes in itself, for each character, and for each field, as measured. */
export const MAX_BYTES = 16_777_216;
const OWN_BYTES = 12_288;
const CHARACTER_BYTES = 48;
const FIELD_BYTES = 2_048;
const LONGEST = 4_000;

/** graphql-jit mixes up fragments in directives, and makes objects that have a prototype. */
const NOT_COMPILED = /@|__proto__/;

export interface Programs {
  /** The document of a text that came before; undefined where it has to be read. */
  known(text: string): DocumentNode | undefined;
  /** Notes a valid document, and makes its program when it has come often enough. */
  note(text: string, document: DocumentNode): void;
  /** Bytes that documents and programs take. */
  bytes(): number;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/**
 * Documents that come again, letter by letter, as those of clients do that send their values as variables. graphql-jit
 * makes a program for each, which takes a tenth of graphql-js's time for a list of orders; graphql-js executes rare
 * ones.
 */
export function createPrograms(schema: GraphQLSchema): Programs {
  const counted = new LRUCache<string, number>({
    maxSize: MAX_COUNTED,
    sizeCalculation: (_, text) => text.length + 1,
  });
  const again = new LRUCache<string, DocumentNode>({ maxSize: MAX_BYTES });
  const programs = new WeakMap<DocumentNode, CompiledQuery['query']>();
  return {
    known: (text: string): DocumentNode | undefined => again.get(text),
    note(text: string, document: DocumentNode): void {
      const field = text.length > LONGEST || NOT_COMPILED.test(text) ? undefined : fitField(document);
      if (!field) return;
      const times = (counted.get(text) ?? 0) + 1;
      if (times < TIMES) return void counted.set(text, times);
      counted.delete(text);
      const compiled = compileQuery(schema, document);
      if (isCompiledQuery(compiled)) programs.set(document, compiled.query);
      const fields = countBelow(fragmentsOf(document), [[field]]);
      again.set(text, document, { size: OWN_BYTES + CHARACTER_BYTES * text.length + FIELD_BYTES * fields });
    },
    bytes: () => again.calculatedSize,
    execute: async (args: ExecutionArgs): Promise<ExecutionResult> => {
      const program = programs.get(args.document);
      if (!program) return execute(args);
      const result = await program(args.rootValue, args.contextValue, args.variableValues);
      return result.errors ? { ...result, errors: result.errors.map(toUsual) } : result;
    },
  };
}

/**
 * The field of a document that graphql-jit executes as graphql-js does. One field of the root, as it would go on with
 * others when one has failed, and variables without default values, as it would let null pass where null cannot be.
 */
function fitField(document: DocumentNode): FieldNode | undefined {
  const operation = getOperationAST(document);
  const [field, ...others] = operation?.selectionSet.selections ?? [];
  const hasDefaults = operation?.variableDefinitions?.some(({ defaultValue }) => defaultValue !== undefined);
  return field?.kind === Kind.FIELD && others.length === 0 && !hasDefaults ? field : undefined;
}

/** The fields below some, those of fragments wherever they are spread. */
function countBelow(fragments: Fragments, fields: readonly MergedField[]): number {
  const below = [...fieldsBelow(fragments, fields).values()];
  return below.reduce((count, same) => count + same.length + countBelow(fragments, same), 0);
}

/**
 * An error of graphql-jit in the form of graphql-js: with extensions, and with the original error behind one that is
 * not the client's fault.
 */
function toUsual({ message, path, originalError }: GraphQLError): GraphQLError {
  const behind = originalError ?? (message.startsWith('Argument ') ? undefined : new Error(message));
  return new GraphQLError(message, { path, originalError: behind });
}
