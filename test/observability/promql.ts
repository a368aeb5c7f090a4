import { parser } from '@prometheus-io/lezer-promql';

/** A series that an expression selects: the metric and the labels that it is selected by. */
interface Selection {
  metric: string;
  labels: string[];
}

interface Read {
  selections: Selection[];
  /** Labels that an aggregation keeps or joins by. */
  grouped: string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Reads an expression with Prometheus's own grammar. Throws where it is not PromQL. */
export function readPromql(expression: string): Read {
  const tree = parser.parse(expression);
  const textOf = ({ from, to }: Node) => expression.slice(from, to);
  const selections: Selection[] = [];
  const grouped: string[] = [];
  tree.iterate({
    enter: ({ node, type }) => {
      if (type.isError)
        throw new Error(`${expression}: not PromQL near "${expression.slice(node.from, node.from + 20)}"`);
      if (type.name === 'VectorSelector') selections.push(selectionOf(node, textOf));
      if (type.name === 'GroupingLabels') grouped.push(...node.getChildren('LabelName').map(textOf));
    },
  });
  return { selections, grouped };
}

function selectionOf(node: Node, textOf: (node: Node) => string): Selection {
  const name = node.getChild('Identifier');
  const matchers = node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? [];
  const labels = matchers.flatMap((matcher) => matcher.getChildren('LabelName').map(textOf));
  return { metric: name ? textOf(name) : '', labels };
}
