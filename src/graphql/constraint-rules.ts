import { type GraphQLArgument, type GraphQLSchema, getDirectiveValues } from 'graphql';
import { isText } from '../base/values.js';

/** What is wrong with a value of the right type, to be read after its field's name; undefined when nothing is. */
export type Rule = (value: unknown) => string | undefined;

/** A field or an argument of the contract. */
export type Declared = Pick<GraphQLArgument, 'astNode'>;

type Arguments = Readonly<Record<string, unknown>>;

const makers: Readonly<Record<string, (args: Arguments) => Rule>> = {
  text: textRule,
  range: rangeRule,
  size: sizeRule,
};

/** The rules that the directives of a field or an argument make. */
export function rulesOf(schema: GraphQLSchema, { astNode }: Declared): Rule[] {
  return Object.entries(makers).flatMap(([name, make]) => {
    const directive = schema.getDirective(name);
    const args = directive && astNode && getDirectiveValues(directive, astNode);
    return args ? make(args) : [];
  });
}

const count = (number: number, unit: string): string => `${number} ${unit}${number === 1 ? '' : 's'}`;

/** Characters are code points, as in the other contracts. */
function textRule({ min, max, pattern }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  const form = typeof pattern === 'string' ? new RegExp(pattern, 'u') : undefined;
  return (value) => {
    const text = String(value);
    if (!isText(text)) return 'must be valid Unicode text without NUL';
    // No text has more code points than code units, or fewer than half as many: most need not be counted.
    const isClear = text.length > 2 * most || (text.length >= 2 * least && text.length <= most);
    const length = isClear ? text.length : [...text].length;
    if (length < least) return `must have at least ${count(least, 'character')}`;
    if (length > most) return `must have at most ${count(most, 'character')}`;
    return form && !form.test(text) ? `must match the pattern ${form.source}` : undefined;
  };
}

function rangeRule({ min, max, exclusive }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    const number = Number(value);
    if (exclusive === true && number <= least) return `must be greater than ${least}`;
    if (number < least) return `must be at least ${least}`;
    return number <= most ? undefined : `must be at most ${most}`;
  };
}

function sizeRule({ min, max }: Arguments): Rule {
  const [least, most] = [Number(min), Number(max)];
  return (value) => {
    const length = Array.isArray(value) ? value.length : 0;
    if (length < least) return `must have at least ${count(least, 'item')}`;
    return length <= most ? undefined : `must have at most ${count(most, 'item')}`;
  };
}
