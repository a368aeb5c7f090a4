import refa from 'refa';

const { DFA, isDisjointWith, JS, NFA } = refa;

// The automata of the contracts' patterns have some hundreds of nodes.
const MAX_NODES = 20_000;

/**
 * The texts that a pattern accepts. Anything may stand beyond an end without anchor. Undefined where only one
 * alternative has an anchor.
 */
function automatonOf(pattern: string) {
  const { start, inner = '', end } = /^(?<start>\^?)(?<inner>.*?)(?<end>(?<!\\)\$)?$/s.exec(pattern)?.groups ?? {};
  const parse = (source: string) => JS.Parser.fromLiteral({ source, flags: 'u' }).parse();
  if (parse(inner).expression.alternatives.length > 1 && (start || end)) return undefined;
  const { expression, maxCharacter } = parse(`${start ? '' : '[^]*'}(?:${inner})${end ? '' : '[^]*'}`);
  return NFA.fromRegex(expression, { maxCharacter }, { assertions: 'throw' }, new NFA.LimitedNodeFactory(MAX_NODES));
}

/**
 * True when `wide` accepts every text that `narrow` accepts. An invalid pattern accepts every text. False where it
 * cannot be decided: for patterns with assertions inside or with automata that are too large.
 */
export function isWithin(narrow: unknown, wide: unknown): boolean {
  if (typeof wide !== 'string' || narrow === wide) return true;
  if (typeof narrow !== 'string') return false;
  try {
    const [inner, outer] = [automatonOf(narrow), automatonOf(wide)];
    if (!inner || !outer) return false;
    const others = DFA.fromFA(outer, new DFA.LimitedNodeFactory(MAX_NODES));
    others.complement();
    return isDisjointWith(inner, others);
  } catch {
    return false;
  }
}
