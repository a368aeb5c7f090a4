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

/**
 * A document is compiled when it comes for the fourth time: compiling costs as much as a few requests in graphql-js.
 */
export const TIMES = 4;
/** Maximum characters of the texts whose requests are still being counted. */
const MAX_COUNTED = 1_000_000;
/**
 * Maximum bytes of documents and programs. The next constants are measured: bytes per document, per character and per
 * field.
 */
export const MAX_BYTES = 16_777_216;
const OWN_BYTES = 12_288;
const CHARACTER_BYTES = 48;
const FIELD_BYTES = 2_048;
const LONGEST = 4_000;

/** Matches texts that graphql-jit runs wrongly. It mixes up fragments in directives; its objects have a prototype. */
const NOT_COMPILED = /@|__proto__/;

export interface Programs {
  /** The document of a known text. Undefined if the text must be parsed. */
  known(text: string): DocumentNode | undefined;
  /** Counts a valid document, and compiles it when it has come often enough. */
  note(text: string, document: DocumentNode): void;
  /** Bytes of all documents and programs. */
  bytes(): number;
  execute(args: ExecutionArgs): Promise<ExecutionResult>;
}

/**
 * Compiles documents that come again letter by letter, as clients do that send values as variables. A program of
 * graphql-jit needs a tenth of graphql-js's time for a list of orders. graphql-js executes the rare documents.
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
 * The root field of a document that graphql-jit executes exactly like graphql-js, else undefined. It must be the only
 * root field, because graphql-jit continues with other fields after a failure. Its variables must have no defaults,
 * because graphql-jit would accept a forbidden null.
 */
function fitField(document: DocumentNode): FieldNode | undefined {
  const operation = getOperationAST(document);
  const [field, ...others] = operation?.selectionSet.selections ?? [];
  const hasDefaults = operation?.variableDefinitions?.some(({ defaultValue }) => defaultValue !== undefined);
  return field?.kind === Kind.FIELD && others.length === 0 && !hasDefaults ? field : undefined;
}

/** Counts the fields below some fields. Fields of a fragment count at each place that spreads it. */
function countBelow(fragments: Fragments, fields: readonly MergedField[]): number {
  const below = [...fieldsBelow(fragments, fields).values()];
  return below.reduce((count, same) => count + same.length + countBelow(fragments, same), 0);
}

/**
 * Converts an error of graphql-jit to the form of graphql-js. It gets extensions, and an original error if it is not
 * the client's fault.
 */
function toUsual({ message, path, originalError }: GraphQLError): GraphQLError {
  const behind = originalError ?? (message.startsWith('Argument ') ? undefined : new Error(message));
  return new GraphQLError(message, { path, originalError: behind });
}
