import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { type Program, startProgram } from '../../../test/support/processes/program.js';
import type { Cluster } from '../../cluster/cluster.js';

/** A firing alert, as people on call receive it. */
export interface Alert {
  name: string;
  labels: Readonly<Record<string, string>>;
  summary: string;
  /** The anchor of its section in the runbook. */
  section: string;
}

/** A series in an answer: its labels and its present value. */
export interface Sample {
  metric: Readonly<Record<string, string>>;
  value: number;
}

/** A real Prometheus with the rules of deploy/, and node_exporter on the machines of PostgreSQL. */
export type Prometheus = Awaited<ReturnType<typeof startPrometheus>>;

interface PrometheusFile {
  rule_files: string[];
  scrape_configs: { job_name: string; static_configs: { targets: string[]; labels?: object }[] }[];
}

interface Rule {
  alert: string;
  expr: string;
}

const deployed = new URL('../../../deploy/observability/', import.meta.url);
const rulesText = await readFile(new URL('alerts.yml', deployed), 'utf8');
const { groups }: { groups: { rules: Rule[] }[] } = parse(rulesText);

/** Alerts about past events. They fire for as long as their window, even if the cause is gone. */
export const LASTING_ALERTS: ReadonlySet<string> = new Set(
  groups.flatMap(({ rules }) =>
    rules.filter(({ expr }) => /(increase|changes|_over_time)\(/.test(expr)).map(({ alert }) => alert),
  ),
);

const PORT = 9090;
const EXPORTER_PORT = 9100;

/** Starts without earlier figures. */
export async function startPrometheus(cluster: Cluster, name: string) {
  const folder = join(cluster.folder, 'prometheus', name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'alerts.yml'), rulesText);
  const file: PrometheusFile = parse(await readFile(new URL('prometheus.yml', deployed), 'utf8'));
  for (const job of file.scrape_configs) job.static_configs = job.static_configs.flatMap(ofThisMachine(cluster));
  await writeFile(join(folder, 'prometheus.yml'), stringify(file));
  const host = cluster.machine('haproxy').address.replace(/\d+$/, '200');
  const url = `http://${host}:${PORT}`;
  const programs: Program[] = [
    await startProgram(
      [
        'prometheus',
        `--config.file=${folder}/prometheus.yml`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=${host}:${PORT}`,
      ],
      { log: join(folder, 'prometheus.log') },
      async () => (await fetch(`${url}/-/ready`)).ok,
    ),
  ];
  for (const member of ['postgres-a', 'postgres-b']) programs.push(await startExporter(cluster, member, folder));

  const answerOf = async <T>(path: string): Promise<T> => {
    const answer = await fetch(`${url}/api/v1/${path}`);
    const { data }: { data: T } = JSON.parse(await answer.text());
    return data;
  };
  return {
    url,
    /** The alerts that fire now. */
    alerts: async (): Promise<Alert[]> => {
      const { alerts } = await answerOf<{ alerts: Firing[] }>('alerts');
      return alerts
        .filter(({ state, labels }) => state === 'firing' && labels['severity'] !== 'watchdog')
        .map(({ labels, annotations }) => ({
          name: labels['alertname'] ?? '',
          labels,
          summary: annotations['summary'] ?? '',
          section: annotations['runbook_url']?.split('#')[1] ?? '',
        }));
    },
    query: async (expression: string): Promise<Sample[]> => {
      const { result } = await answerOf<{ result: { metric: Sample['metric']; value: [number, string] }[] }>(
        `query?query=${encodeURIComponent(expression)}`,
      );
      return result.map(({ metric, value: [, value] }) => ({ metric, value: Number(value) }));
    },
    stop: async () => {
      for (const program of programs) await program.signal();
    },
  };
}

interface Firing {
  state: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

/** Targets at their addresses on this machine, under their names in a deployment. */
const ofThisMachine =
  ({ machine }: Cluster) =>
  ({ targets }: { targets: string[] }) =>
    targets.map((target) => {
      const [name = '', port] = target.split(':');
      return { targets: [`${machine(name).address}:${port}`], labels: { instance: target } };
    });

/** node_exporter of one member. It sees the disks of this machine, without those of the other member. */
function startExporter({ machine }: Cluster, member: string, folder: string): Promise<Program> {
  const address = `${machine(member).address}:${EXPORTER_PORT}`;
  const other = member === 'postgres-a' ? 'postgres-b' : 'postgres-a';
  return startProgram(
    [
      'prometheus-node-exporter',
      `--web.listen-address=${address}`,
      '--collector.disable-defaults',
      '--collector.filesystem',
      `--collector.filesystem.mount-points-exclude=/${other}/`,
    ],
    { log: join(folder, `exporter-${member}.log`) },
    async () => (await fetch(`http://${address}/metrics`)).ok,
  );
}
