import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { settingNames } from '../../src/base/config.js';
import { version } from '../../src/base/version.js';

/** Files of deployments say the same as the release and its settings. */

const textOf = (path: string): string => readFileSync(path, 'utf8');

interface Container {
  image: string;
}

interface Pod {
  metadata: { labels: Record<string, string> };
  spec: { containers: Container[]; topologySpreadConstraints?: object[] };
}

interface Manifest {
  kind: string;
  metadata: { name: string };
  spec: { replicas?: number; template?: Pod; selector?: { matchLabels?: Record<string, string> } };
}

const FOLDER = 'deploy/cluster/kubernetes';
const manifests = readdirSync(FOLDER).flatMap((name) =>
  parseAllDocuments(textOf(`${FOLDER}/${name}`)).map((document): Manifest => document.toJS()),
);
const base: { images: { name: string; newTag: string }[]; configMapGenerator: { literals?: string[] }[] } = parse(
  textOf('deploy/cluster/kustomization.yaml'),
);
const containers = manifests.flatMap(({ spec }) => spec?.template?.spec.containers ?? []);

describe('the manifests of Kubernetes', () => {
  test('run images of this release', () => {
    expect(base.images.map(({ newTag }) => newTag)).toEqual([version, version]);
    expect(containers.length).toBeGreaterThan(4);
    const named = base.images.map(({ name }) => name);
    expect(containers.filter(({ image }) => !named.includes(image))).toEqual([]);
  });

  test('have a Job of its own for the migrations of each release, as a Job cannot be changed', () => {
    const jobs = manifests.filter(({ kind }) => kind === 'Job').map(({ metadata }) => metadata.name);
    expect(jobs).toEqual([`migrate-${version.replaceAll('.', '-')}`]);
  });

  test('give secrets as files, never in the environment', () => {
    expect(JSON.stringify(containers)).not.toMatch(/secretKeyRef|secretRef/);
  });

  test('set settings that the service has', () => {
    const literals = base.configMapGenerator.flatMap((each) => each.literals ?? []);
    const names = literals.map((literal) => literal.split('=')[0] ?? '');
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !settingNames.includes(name))).toEqual([]);
  });

  test('keep one pod of each part while machines are drained, and spread them', () => {
    const budgets = manifests.filter(({ kind }) => kind === 'PodDisruptionBudget').map(({ spec }) => spec.selector);
    const several = manifests.filter(({ kind, spec }) => kind === 'Deployment' && (spec.replicas ?? 1) > 1);
    expect(several.map(({ metadata }) => metadata.name).sort()).toEqual(['api', 'pgbouncer', 'worker']);
    for (const { spec } of several) {
      expect(budgets).toContainEqual({ matchLabels: spec.template?.metadata.labels });
      expect(spec.template?.spec.topologySpreadConstraints).toHaveLength(1);
    }
  });
});

test('the image is labelled with this release', () => {
  expect(textOf('deploy/Dockerfile')).toContain(`org.opencontainers.image.version=${version} `);
});

describe.each(['deploy/compose.yaml', 'deploy/cluster/compose.yaml'])('the containers of %s', (path) => {
  const { services }: { services: Record<string, Record<string, unknown>> } = parse(textOf(path), { merge: true });

  test.each(Object.entries(services))('%s writes to its volumes alone, within its memory and its log', (_, service) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      mem_limit: expect.stringMatching(/^\dg$/),
      logging: { options: { 'max-size': expect.any(String) } },
    });
  });
});
