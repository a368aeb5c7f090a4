import { Counter, Gauge, type GaugeConfiguration, Histogram, type Registry } from 'prom-client';

/** Labels with their known values. */
type Labels = Readonly<Record<string, readonly string[]>>;

/** Makes metrics of one registry, each by its name and help. */
export interface MetricMaker {
  counter(name: string, help: string, labels?: Labels): Counter;
  gauge(name: string, help: string, labels?: Labels, options?: Partial<GaugeConfiguration<string>>): Gauge;
  histogram(name: string, help: string, buckets: number[], labels?: Labels): Histogram;
}

/** Makes metrics of a registry. A series with known labels begins at 0, so that its first count shows as a rise. */
export function metricsIn(registry: Registry): MetricMaker {
  const registers = [registry];
  return {
    counter: (name, help, labels = {}) => {
      const counter = new Counter({ name, help, labelNames: Object.keys(labels), registers });
      for (const series of seriesOf(labels)) counter.inc(series, 0);
      return counter;
    },
    gauge: (name, help, labels = {}, options = {}) => {
      const gauge = new Gauge({ name, help, labelNames: Object.keys(labels), registers, ...options });
      for (const series of seriesOf(labels)) gauge.set(series, 0);
      return gauge;
    },
    histogram: (name, help, buckets, labels = {}) => {
      const histogram = new Histogram({ name, help, buckets, labelNames: Object.keys(labels), registers });
      for (const series of seriesOf(labels)) histogram.zero(series);
      return histogram;
    },
  };
}

/** All combinations of the labels' values. */
const seriesOf = (labels: Labels): Record<string, string>[] =>
  Object.entries(labels).reduce<Record<string, string>[]>(
    (series, [label, values]) => series.flatMap((each) => values.map((value) => ({ ...each, [label]: value }))),
    [{}],
  );
