import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { parser } from '@prometheus-io/lezer-promql';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { createLog } from '../../src/base/telemetry/log.js';
import { createReadiness } from '../../src/base/telemetry/readiness.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { type Exported, exportedIn } from './exported.js';

/** A series that an expression selects: the metric and the selecting labels. */
type Selection = { metric: string; labels: string[] };

interface Read {
  selections: Selection[];
  /** The labels that an aggregation keeps or joins by. */
  grouped: string[];
}

type Node = ReturnType<typeof parser.parse>['topNode'];

/** Reads an expression with Prometheus's own grammar. Throws if it is not PromQL. */
function readPromql(expression: string): Read {
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

/** Dashboard, alert rules and documents use only metrics and labels that a running service has. */

const fileAt = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook_url: string };
}

const { groups }: { groups: { rules: Rule[] }[] } = parse(fileAt('deploy/observability/alerts.yml'));
const rules = groups.flatMap((group) => group.rules);

type Panel = { title: string; targets?: { expr: string }[] };

const { panels }: { panels: Panel[] } = JSON.parse(fileAt('deploy/observability/dashboard.json'));
const shown = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const));

// No Redis listens there: the figures of Redis are exported even while it is away.
const settings = { REDIS_URL: 'redis://127.0.0.1:1', SANDBOX: '0', RETENTION_ORDERS_DAYS: '36500' };
const service = await ownService(settings, {});
let exported: Exported;

beforeAll(async () => {
  const { metrics } = service.app.probes;
  // The metrics of another process, which is starting.
  const starting = new Registry();
  createReadiness(createLog({ level: 'silent' }), starting);
  const isComplete = async () => {
    exported = exportedIn(`${await metrics.metrics()}\n${await starting.metrics()}`);
    return ['malote_webhook_dead_letters', 'malote_sweep_rows_total'].every((name) => exported.has(name));
  };
  await waitFor(isComplete, 'the figures of the database and the first sweeps');
});

/** Labels that Prometheus adds to everything that it reads. */
const OF_PROMETHEUS = new Set(['instance', 'job']);
const METRICS_OF_PROMETHEUS = new Set(['up', 'scrape_duration_seconds']);
const ofOthers = exportedIn(fileAt('test/observability/others.prom'));

function faultsOf(expression: string): string[] {
  const { selections, grouped } = readPromql(expression.replaceAll('$__rate_interval', '5m'));
  const samplesOf = (metric: string) => exported.get(metric) ?? ofOthers.get(metric);
  const labelsOf = (metric: string) => new Set(samplesOf(metric)?.flatMap(({ labels }) => Object.keys(labels)) ?? []);
  const metrics = selections.map(({ metric }) => metric).filter((metric) => !METRICS_OF_PROMETHEUS.has(metric));
  const absent = metrics.filter((metric) => !samplesOf(metric)).map((metric) => `no metric ${metric}`);
  const unknown = selections.flatMap(({ metric, labels }) =>
    labels
      .filter((label) => !OF_PROMETHEUS.has(label) && !labelsOf(metric).has(label))
      .map((label) => `${metric} has no label ${label}`),
  );
  const all = new Set(metrics.flatMap((metric) => [...labelsOf(metric)]));
  const strays = grouped
    .filter((label) => !OF_PROMETHEUS.has(label) && !all.has(label))
    .map((label) => `nothing has the label ${label}`);
  return [...absent, ...unknown, ...strays];
}

test('the check finds a fault in an expression', () => {
  expect(faultsOf('sum by (pod) (rate(malote_orders_total{door="rest"}[5m])) > malote_build_info{state="x"}')).toEqual([
    'no metric malote_orders_total',
    'malote_orders_total has no label door',
    'malote_build_info has no label state',
    'nothing has the label pod',
  ]);
  expect(() => faultsOf('sum(rate(malote_build_info[5m])')).toThrow('not PromQL');
});

test.each(rules.map(({ alert, expr }) => [alert, expr]))(
  'alert %s uses existing metrics and labels',
  (_alert, expr) => {
    expect(faultsOf(expr)).toEqual([]);
  },
);

test('there are alerts for failing and disabled endpoints, dead letters and lag', () => {
  const told = ['MaloteEndpointFailing', 'MaloteEndpointDisabled', 'MaloteDeadLetters', 'MaloteDeliveryLag'];
  expect(rules.map(({ alert }) => alert)).toEqual(expect.arrayContaining(told));
});

test.each(shown)('panel %s uses existing metrics and labels: %s', (_title, expr) => {
  expect(faultsOf(expr)).toEqual([]);
});

const SLUG_ONLY = /[^\w -]/g;
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^##+ (.+)$/gm)].map(([, heading = '']) =>
    heading.toLowerCase().replace(SLUG_ONLY, '').replaceAll(' ', '-'),
  );

describe('the runbook', () => {
  const anchors = anchorsOf(fileAt('docs/runbook.md'));

  test('has a section for each alert', () => {
    const urls = rules.map(({ annotations }) => annotations.runbook_url);
    expect(
      urls.filter((url) => !anchors.includes(url.replace('{{ $externalLabels.runbooks }}runbook.md#', ''))),
    ).toEqual([]);
  });

  test('names each alert in its section', () => {
    const parts = fileAt('docs/runbook.md').split(/^## /m);
    const sections = new Map(parts.map((section) => [anchorsOf(`## ${section}`)[0], section]));
    const unnamed = rules.filter(
      ({ alert, annotations }) => !sections.get(annotations.runbook_url.split('#')[1])?.includes(`\`${alert}\``),
    );
    expect(unnamed.map(({ alert }) => alert)).toEqual([]);
  });
});

test('docs/observability.md lists exactly the existing metrics', () => {
  const listed = [...fileAt('docs/observability.md').matchAll(/^\| `((?:malote|http)_\w+)`/gm)].map(
    ([, name = '']) => name,
  );
  const own = [...exported.keys()].flatMap((name) => {
    const histogram = name.replace(/_(bucket|sum|count)$/, '');
    return /^(malote|http)_/.test(name) ? [exported.has(`${histogram}_bucket`) ? histogram : name] : [];
  });
  expect(listed.toSorted()).toEqual([...new Set(own)].sort());
});
