/** A `/metrics` answer: samples by metric, each with its labels and its value. */
export type Exported = Map<string, { labels: Record<string, string>; value: number }[]>;

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;

export function exportedIn(text: string): Exported {
  const exported: Exported = new Map();
  for (const line of text.split('\n')) {
    const [, metric, labelText = '', value] = SAMPLE.exec(line) ?? [];
    if (metric === undefined) continue;
    const labels = Object.fromEntries(
      [...labelText.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', each = '']) => [name, each]),
    );
    exported.set(metric, [...(exported.get(metric) ?? []), { labels, value: Number(value) }]);
  }
  return exported;
}

/** The value of the only sample with these labels. Undefined without such a sample. */
export function sampleOf(exported: Exported, metric: string, wanted: Record<string, string> = {}): number | undefined {
  const fits = ({ labels }: { labels: Record<string, string> }) =>
    Object.entries(wanted).every(([name, value]) => labels[name] === value);
  return exported.get(metric)?.find(fits)?.value;
}
