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
import { bounds, depthRule, excessIn } from './limits.js';
import { literalRule } from './literals.js';
import { repetitionIn } from './repetition.js';
import { scan } from './shape.js';

/** A valid document within its limits, or what is wrong with it. */
export type Prepared = { document: DocumentNode } | { errors: readonly GraphQLError[] };

// Few clients send more different queries; one that does only pays for validation.
const MAX_SHAPES = 1000;
const MAX_SHAPE_LENGTH = 10_000;

// A refusal of as many errors, each of a bounded length, and a list of wrong values is still a small answer.
const MAX_ERRORS = 40;

/**
 * Parses and validates documents. Clients write their values into the text, so that hardly any two texts are the same;
 * their shapes are, and a document of a shape that has passed before is not validated again.
 */
export function createDocuments(schema: GraphQLSchema): (text: string) => Prepared {
  const errorsIn = validator(schema);
  const passed = new LRUCache<string, true>({ max: MAX_SHAPES });
  return (text) => {
    const { shape, nesting, tokens, name } = scan(text);
    if (tokens > bounds.tokens) return refused(`A document may hold ${bounds.tokens} tokens at most.`);
    if (nesting > bounds.nesting) return refused(`A document may be nested ${bounds.nesting} levels deep at most.`);
    if (name > bounds.name) return refused(`A name may hold ${bounds.name} characters at most.`);
    const parsed = parsedFrom(text);
    if ('errors' in parsed || (shape !== undefined && passed.get(shape))) return parsed;
    const errors = errorsIn(parsed.document);
    if (errors.length > 0) return { errors };
    if (shape !== undefined && shape.length <= MAX_SHAPE_LENGTH && hasOneShape(parsed.document))
      passed.set(shape, true);
    return parsed;
  };
}

const refused = (message: string): Prepared => ({ errors: [new GraphQLError(message)] });

function parsedFrom(text: string): Prepared {
  try {
    return { document: parse(text, { maxTokens: bounds.tokens, noLocation: true }) };
  } catch (error) {
    if (error instanceof GraphQLError) return { errors: [error] };
    throw error;
  }
}

/** Finds what is wrong with a document. Limits come first: what they let pass is cheap to validate. */
export function validator(schema: GraphQLSchema): (document: DocumentNode) => readonly GraphQLError[] {
  const standard = specifiedRules.filter((rule) => rule !== ValuesOfCorrectTypeRule);
  const rules = [...standard, literalRule(schema), depthRule];
  return (document) => {
    const excess = excessIn(document);
    if (excess) return [excess];
    // A suggestion takes time that grows with the square of a name's length.
    const errors = validate(schema, document, rules, { maxErrors: MAX_ERRORS, hideSuggestions: true });
    if (errors.length > 0) return errors;
    const repeated = repetitionIn(document);
    return repeated ? [repeated] : [];
  };
}

/**
 * Whether validity follows from the shape alone. Fields of one response name must have the same arguments, which is the
 * only rule that compares values; so a document in which two fields with arguments share a name is always validated.
 */
function hasOneShape(document: DocumentNode): boolean {
  const names: string[] = [];
  visit(document, {
    [Kind.FIELD]: ({ alias, name, arguments: given }) => {
      if (given && given.length > 0) names.push((alias ?? name).value);
    },
  });
  return new Set(names).size === names.length;
}
