import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  Kind,
  parse,
  specifiedRules,
  ValuesOfCorrectTypeRule,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { literalRule } from './input-values.js';
import { depthRule, documentExcess, documentLimits, operationExcess } from './limits.js';

type Prepared = { document: DocumentNode } | { errors: readonly GraphQLError[] };

// Characters of all stored shapes. A client with more shapes only pays for validation each time.
const MAX_SHAPES_LENGTH = 2_000_000;
const MAX_SHAPE_LENGTH = 10_000;

// With this number of errors of limited length, an answer is still small.
const MAX_ERRORS = 40;

/**
 * Prepares documents. Clients often write values into the text, so texts differ while their shapes repeat. A document
 * with a known valid shape is not validated again.
 */
export function createDocuments(schema: GraphQLSchema): (text: string) => Prepared {
  const errorsIn = validator(schema);
  const validShapes = new LRUCache<string, true>({
    maxSize: MAX_SHAPES_LENGTH,
    sizeCalculation: (_, shape) => shape.length + 1,
  });
  return (text) => {
    const { shape, nesting, tokens, longestName } = scan(text);
    const max = documentLimits;
    if (tokens > max.tokens) return refused(`A document may hold ${max.tokens} tokens at most.`);
    if (nesting > max.nesting) return refused(`A document may be nested ${max.nesting} levels deep at most.`);
    if (longestName > max.name) return refused(`A name may hold ${max.name} characters at most.`);
    const parsed = parsedFrom(text);
    if ('errors' in parsed) return parsed;
    if (shape !== undefined && validShapes.get(shape)) return parsed;
    const errors = errorsIn(parsed.document);
    if (errors.length > 0) return { errors };
    if (shape !== undefined && shape.length <= MAX_SHAPE_LENGTH && hasOneShape(parsed.document))
      validShapes.set(shape, true);
    return parsed;
  };
}

const refused = (message: string): Prepared => ({ errors: [new GraphQLError(message)] });

function parsedFrom(text: string): Prepared {
  try {
    return { document: parse(text, { maxTokens: documentLimits.tokens, noLocation: true }) };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/** Finds the errors of a document. Limits are checked first, so that validation stays cheap. */
export function validator(schema: GraphQLSchema): (document: DocumentNode) => readonly GraphQLError[] {
  const standard = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);
  const rules = [...standard, literalRule(schema), depthRule];
  return (document) => {
    const excess = documentExcess(document);
    if (excess) return [excess];
    // Suggestions would take time that grows with the square of a name's length.
    const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions: true });
    return errors.length > 0 ? errors : [operationExcess(document) ?? []].flat();
  };
}

/**
 * True if the shape alone decides whether a document is valid. Only one rule compares values: fields with one response
 * name must have the same arguments. So a document in which two fields with arguments share a name is always validated.
 */
function hasOneShape(document: DocumentNode): boolean {
  const names: string[] = [];
  visit(document, {
    [Kind.FIELD]: ({ alias, name, arguments: args }) => {
      if (args && args.length > 0) names.push((alias ?? name).value);
    },
  });
  return new Set(names).size === names.length;
}

interface Scan {
  /** The text without the contents of strings and numbers. Undefined if a value must be validated itself. */
  shape: string | undefined;
  nesting: number;
  /** The number of tokens, including comments and brackets, without other punctuation. Counting stops at too many. */
  tokens: number;
  longestName: number;
}

// GraphQL's lexical grammar. An open string extends to the end, so that no text is read twice. Names are matched, so
// that their digits do not count as numbers.
const TOKENS =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[^\n\r]|[^"\\\n\r])*"?|#[^\n\r]*|-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[_A-Za-z]\w*|[{}()[\]]/g;

// A longer integer may be out of range, and then be refused although a shorter one is valid.
const MAX_DIGITS = 9;

/** A value of the same kind. Undefined if another value of this kind could be refused. */
function standIn(token: string, isFloat: boolean): string | undefined {
  if (token.startsWith('"')) return token.startsWith('"""') ? undefined : '""';
  if (isFloat) return '0.0';
  return token.length > MAX_DIGITS ? undefined : '0';
}

/** Reads a document's text in one pass, without parsing it. */
export function scan(text: string): Scan {
  const size = { nesting: 0, tokens: 0, longestName: 0 };
  let [pieces, from, depth, hasShape] = ['', 0, 0, true];
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match && size.tokens <= documentLimits.tokens; match = TOKENS.exec(text)) {
    const [token, fraction, exponent] = match;
    const first = token.charAt(0);
    size.tokens += 1;
    if (first === '{' || first === '(' || first === '[') size.nesting = Math.max(size.nesting, ++depth);
    else if (first === '}' || first === ')' || first === ']') depth -= 1;
    else if (first === '#') hasShape = false;
    else if (first === '"' || first === '-' || (first >= '0' && first <= '9')) {
      const value = standIn(token, fraction !== undefined || exponent !== undefined);
      hasShape &&= value !== undefined;
      pieces += text.slice(from, match.index) + value;
      from = TOKENS.lastIndex;
    } else size.longestName = Math.max(size.longestName, token.length);
  }
  return { ...size, shape: hasShape ? pieces + text.slice(from) : undefined };
}
