// The import law: floors 4 → 3 → 2 → 1 → 0, downward only; edges never import each other.
const ground = ['db', 'embedded', 'http', 'idempotency', 'base'];
const domains = ['orders', 'packages', 'accounts', 'products', 'outbox', 'routing', 'labels', 'carrier'];
const edges = ['rest', 'graphql', 'webhook', 'operator', 'pages', 'cli'];
const rooms = (names) => `^src/(${names.join('|')})/`;
const domain = rooms(domains);
const edge = rooms(edges);
const app = '^src/app/';
const process_ = '^src/(api|worker|malote)\\.ts$';
const database = ['^src/db/', 'node_modules/(kysely|pg)/'];
const allowed = {
  orders: ['packages', 'carrier', 'routing', 'products', 'accounts'],
  packages: ['outbox'],
  // Places have names and codes there; `carrier` decides nothing about routes.
  carrier: ['routing'],
};

const rule = (name, from, to) => ({ name, severity: 'error', from, to });

module.exports = {
  forbidden: [
    rule('no-circular', {}, { circular: true }),
    rule('ground-knows-no-floor-above', { path: rooms(ground) }, { path: [app, process_, domain, edge] }),
    rule('domains-know-no-edge', { path: domain }, { path: [app, process_, edge] }),
    rule('domains-know-no-http', { path: domain }, { path: '^src/http/' }),
    rule('edges-know-no-app', { path: edge }, { path: [app, process_] }),
    rule('nothing-imports-a-process', { path: '^src/', pathNot: process_ }, { path: process_ }),
    rule(
      'processes-know-no-edge',
      { path: process_, pathNot: '^src/malote\\.ts$' },
      { path: [domain, '^src/(rest|graphql|webhook|pages|cli)/'] },
    ),
    rule('only-edges-import-generated', { path: '^src/', pathNot: edge }, { path: '^generated/' }),
    rule('routing-knows-no-database', { path: '^src/routing/' }, { path: database }),
    rule('labels-know-no-database', { path: '^src/labels/' }, { path: database }),
    rule('base-stands-alone', { path: '^src/base/' }, { path: '^src/(?!base/)' }),
    rule('db-knows-only-base', { path: '^src/db/' }, { path: '^src/(?!db/|base/)' }),
    rule('idempotency-knows-only-db', { path: '^src/idempotency/' }, { path: '^src/(?!idempotency/|db/|base/)' }),
    rule('embedded-knows-only-base', { path: '^src/embedded/' }, { path: '^src/(?!embedded/|base/)' }),
    rule(
      'remote-commands-know-only-the-contracts',
      { path: '^src/cli/(remote|mcp)/' },
      { path: [domain, '^src/(db|embedded|http|idempotency)/', '^src/cli/(local|doctor)/'] },
    ),
    ...edges.map((name) =>
      rule(`${name}-imports-no-other-edge`, { path: `^src/${name}/` }, { path: edge, pathNot: `^src/${name}/` }),
    ),
    ...domains.map((name) =>
      rule(
        `${name}-imports-only-its-neighbours`,
        { path: `^src/${name}/` },
        { path: domain, pathNot: rooms([name, ...(allowed[name] ?? [])]) },
      ),
    ),
    rule('src-stands-alone', { path: '^src/' }, { path: '^(test|scripts|clients|lab)/' }),
    // What tests, the laboratory and the demo share is in test/support, which knows none of them.
    rule('support-stands-alone', { path: '^test/support/' }, { path: '^(scripts|clients|lab|test/(?!support/))' }),
    rule('nothing-imports-the-laboratory', { path: '^(test|scripts|clients)/' }, { path: '^lab/' }),
    rule('tests-know-no-demo', { path: '^test/', pathNot: '^test/machine/demo\\.test' }, { path: '^scripts/demo' }),
    rule('nothing-imports-a-test', { path: '^(scripts|clients|lab)/' }, { path: '\\.test\\.ts$' }),
    rule('benches-know-no-fault', { path: '^lab/bench' }, { path: '^(lab/faults/|test/(?!support/))' }),
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
