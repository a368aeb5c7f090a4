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

// Characters of all shapes. A client of more shapes only pays for validation.
const MAX_SHAPES_LENGTH = 2_000_000;
const MAX_SHAPE_LENGTH = 10_000;

// So many errors, each of a bounded length, are still a small answer.
const MAX_ERRORS = 40;

/**
 * Clients write their values into the text, so that hardly any two texts are the same; their shapes are, and a document
 * of a shape that has passed before is not validated again.
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

/** Finds the errors of a document. Limits come first: what they let pass is cheap to validate. */
export function validator(schema: GraphQLSchema): (document: DocumentNode) => readonly GraphQLError[] {
  const standard = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);
  const rules = [...standard, literalRule(schema), depthRule];
  return (document) => {
    const excess = documentExcess(document);
    if (excess) return [excess];
    // A suggestion takes time that grows with the square of a name's length.
    const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions: true });
    return errors.length > 0 ? errors : [operationExcess(document) ?? []].flat();
  };
}

/**
 * Tells whether validity follows from the shape alone. The only rule that compares values is that fields of one
 * response name have the same arguments, so a document in which two such fields share a name is always validated.
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
  /** The text without contents of strings and values of numbers; undefined where their kinds are hard to tell. */
  shape: string | undefined;
  nesting: number;
  /** Tokens, comments included, punctuation but brackets not; counting ends once there are too many. */
  tokens: number;
  longestName: number;
}

// GraphQL's lexical grammar. An open string reaches to the end, so that no text is read twice; names are matched so
// that their digits are not taken for numbers.
const TOKENS =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[^\n\r]|[^"\\\n\r])*"?|#[^\n\r]*|-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[_A-Za-z]\w*|[{}()[\]]/g;

// A longer integer may be out of range, and so be refused where a shorter one is not.
const MAX_DIGITS = 9;

/** A value of the same kind, or undefined where others of the kind may be judged otherwise. */
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
