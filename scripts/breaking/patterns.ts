import refa from 'refa';

const { DFA, isDisjointWith, JS, NFA } = refa;

// The automata of the contracts' patterns have some hundreds of nodes.
const MOST_NODES = 20_000;

/** What a pattern accepts from start to end; undefined for one that is not anchored, as what it accepts has no bounds. */
function automatonOf(pattern: string) {
  const inner = /^\^(?<inner>.*)\$$/s.exec(pattern)?.groups?.['inner'];
  if (inner === undefined) return undefined;
  const { expression, maxCharacter } = JS.Parser.fromLiteral({ source: `(?:${inner})`, flags: 'u' }).parse();
  return NFA.fromRegex(expression, { maxCharacter }, { assertions: 'throw' }, new NFA.LimitedNodeFactory(MOST_NODES));
}

/**
 * Whether every text that `narrow` accepts is accepted by `wide`, too; a pattern that is left out accepts all. False where it cannot be
 * decided: for patterns without anchors, with assertions inside or with automata that are too large.
 */
export function isWithin(narrow: string | undefined, wide: string | undefined): boolean {
  if (wide === undefined || narrow === wide) return true;
  if (narrow === undefined) return false;
  try {
    const [inner, outer] = [automatonOf(narrow), automatonOf(wide)];
    if (!inner || !outer) return false;
    const others = DFA.fromFA(outer, new DFA.LimitedNodeFactory(MOST_NODES));
    others.complement();
    return isDisjointWith(inner, others);
  } catch {
    return false;
  }
}
