// The import law: floors 4 → 3 → 2 → 1 → 0, downward only; edges never import each other.
const ground = ['db', 'embedded', 'http', 'idempotency', 'validation', 'files', 'base'];
const domains = ['orders', 'packages', 'accounts', 'products', 'carrier', 'endpoints', 'queue', 'routing', 'labels'];
const edges = ['rest', 'graphql', 'webhook', 'operator', 'published', 'pages', 'cli'];
const rooms = (names) => `^src/(${names.join('|')})/`;
const domain = rooms(domains);
const edge = rooms(edges);
const app = '^src/app/';
const process_ = '^src/(api|worker|malote)\\.ts$';
const database = ['^src/db/', 'node_modules/(kysely|pg)/'];
const allowed = {
  orders: ['packages', 'carrier', 'routing', 'products', 'accounts'],
  packages: ['queue'],
  queue: ['endpoints'],
};

const audiences = ['tracking', 'guide', 'console', 'shipper'];
const sharedPages = '^src/pages/(design|session|shared)/';

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
      { path: [domain, '^src/(rest|graphql|webhook|published|pages|cli)/'] },
    ),
    rule('only-edges-import-generated', { path: '^src/', pathNot: edge }, { path: '^generated/' }),
    rule('routing-knows-no-database', { path: '^src/routing/' }, { path: database }),
    rule('labels-know-no-database', { path: '^src/labels/' }, { path: database }),
    rule('base-stands-alone', { path: '^src/base/' }, { path: '^src/(?!base/)' }),
    rule('validation-knows-only-base', { path: '^src/validation/' }, { path: '^src/(?!validation/|base/)' }),
    rule('files-know-only-validation', { path: '^src/files/' }, { path: '^src/(?!files/|validation/|base/)' }),
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
    // A room of pages serves one audience. The rooms in `sharedPages` serve the others.
    ...audiences.map((name) =>
      rule(
        `pages-${name}-imports-no-other-audience`,
        { path: `^src/pages/${name}/` },
        { path: `^src/pages/(${audiences.join('|')})/`, pathNot: `^src/pages/${name}/` },
      ),
    ),
    rule('shared-pages-know-no-audience', { path: sharedPages }, { path: `^src/pages/(${audiences.join('|')})/` }),
    rule('design-knows-no-session', { path: '^src/pages/design/' }, { path: '^src/pages/session/' }),
    rule('console-and-shipper-know-no-domain', { path: '^src/pages/(console|shipper)/' }, { path: domain }),
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
