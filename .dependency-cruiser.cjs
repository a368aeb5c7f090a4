// The import law: floors 4 → 3 → 2 → 1 → 0, downward only; edges never import each other.
const domains = ['orders', 'packages', 'accounts', 'products', 'deliveries', 'routing', 'labels'];
const edges = ['rest', 'graphql', 'webhook', 'operator', 'pages'];
const domain = `^src/(${domains.join('|')})/`;
const edge = `^src/(${edges.join('|')})/`;
const composition = '^src/(app\\.ts$|composition/)';
const process_ = '^src/(api|worker|cli)\\.ts$|^src/processes/';
const allowed = { orders: ['packages', 'routing', 'products', 'accounts'], packages: ['deliveries'] };

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }),
    rule(
      'ground-knows-no-floor-above',
      { path: '^src/(db|embedded|http|base)/' },
      { path: [composition, process_, domain, edge] },
    ),
    rule('domains-know-no-edge', { path: domain }, { path: [composition, process_, edge] }),
    rule('edges-know-no-composition', { path: edge }, { path: [composition, process_] }),
    rule('nothing-imports-a-process', { path: '^src/', pathNot: process_ }, { path: process_ }),
    rule('processes-know-no-edge', { path: process_ }, { path: [domain, '^src/(rest|graphql|webhook|pages)/'] }),
    rule('only-edges-import-generated', { path: '^src/', pathNot: edge }, { path: '^generated/' }),
    rule('routing-knows-no-database', { path: '^src/routing/' }, { path: ['^src/db/', 'node_modules/(kysely|pg)/'] }),
    rule('labels-know-no-database', { path: '^src/labels/' }, { path: ['^src/db/', 'node_modules/(kysely|pg)/'] }),
    rule('base-stands-alone', { path: '^src/base/' }, { path: '^src/(?!base/)' }),
    rule('db-knows-no-http', { path: '^src/db/' }, { path: '^src/(http|embedded)/' }),
    rule('embedded-knows-only-base', { path: '^src/embedded/' }, { path: '^src/(?!embedded/|base/)' }),
    ...edges.map((name) =>
      rule(`${name}-imports-no-other-edge`, { path: `^src/${name}/` }, { path: edge, pathNot: `^src/${name}/` }),
    ),
    ...domains.map((name) =>
      rule(
        `${name}-imports-only-its-neighbours`,
        { path: `^src/${name}/` },
        { path: domain, pathNot: `^src/(${[name, ...(allowed[name] ?? [])].join('|')})/` },
      ),
    ),
    // What tests, faults, benches and demo share is in test/support, which knows none of them.
    rule('src-knows-no-test-or-script', { path: '^src/' }, { path: '^(test|scripts)/' }),
    rule('support-stands-alone', { path: '^test/support/' }, { path: '^(scripts|test/(?!support/))' }),
    rule(
      'tests-know-no-fault-or-bench',
      { path: '^test/' },
      { path: '^scripts/(faults|bench|demo)', pathNot: '^scripts/faults/(names|mutants|topology/mutants)\\.ts$' },
    ),
    rule('scripts-import-no-test', { path: '^scripts/' }, { path: '\\.test\\.ts$' }),
    rule('benches-know-no-fault', { path: '^scripts/bench' }, { path: '^(scripts/faults/|test/(?!support/))' }),
  ],
  options: {
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
