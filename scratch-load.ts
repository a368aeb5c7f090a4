import { startChild, type Child } from './test/support/processes/child.js';
import { limitOf } from './scripts/bench/graphql/limit.js';
import { withOneOrder } from './scripts/bench/graphql/one-order.js';
import { openStage } from './scripts/bench/graphql/stage.js';
import { templatesOf } from './scripts/bench/graphql/statements.js';
import { quantile } from './test/support/figures.js';
const stage = await openStage();
const settings = { statement_timeout: 10_000, lock_timeout: 500, idle_in_transaction_session_timeout: 10_000 };
const clients = Number(process.env['CLIENTS'] ?? 32);
const templates = templatesOf(withOneOrder(stage.statements), [stage.customer.accountId]);
const limit = await limitOf({ url: stage.databaseUrl, connections: clients, settings, templates, directory: stage.directory }, true);
const reads = await limitOf({ url: stage.databaseUrl, connections: clients, settings, templates: templates.slice(0, -1), directory: '/tmp/wt-scratch-together/reads' }, true);
let used = 0;
const fresh = () => 100_000_000_000 + 100_000_000 * ++used;
const dist = process.env['DISTS']?.split(',') ?? ['dist'];
const variants: Record<string, Child[]> = {};
for (const d of dist) for (const atOnce of (process.env['ATS'] ?? '1,2,3').split(',')) {
  const start = () => startChild([`${d}/src/api.js`, '--no-sender'], { ...stage.env, AT_ONCE: atOnce }, { measured: true });
  variants[`${d} at once ${atOnce}`] = [await start(), await start()];
}
async function http(servers: Child[], interfaceName: 'graphql' | 'rest', seconds: number) {
  const cpu = async () => (await Promise.all(servers.map(({ cpu }) => cpu()))).reduce((a, b) => a + b);
  const [b, p] = [await cpu(), await stage.postgresCpu()];
  const r = await stage.load({ urls: servers.map(({ url }) => url), interfaceName, authorization: stage.customer.authorization[interfaceName], paymentMethod: stage.customer.paymentMethod, named: false, clients, seconds, firstNumber: fresh() });
  return { perSecond: r.orders / r.seconds, node: ((await cpu()) - b) / r.orders, pg: ((await stage.postgresCpu()) - p) * 1000 / r.orders, p50: quantile(r.latencies, 0.5), p99: quantile(r.latencies, .99), refused: r.refused };
}
async function bench(l: typeof limit, seconds: number) {
  const p = await stage.postgresCpu();
  const { orders, perSecond } = await l.run(seconds, fresh());
  return { perSecond, node: 0, pg: ((await stage.postgresCpu()) - p) * 1000 / orders, p50: 0, p99: 0, refused: 0 };
}
const seconds = Number(process.env['SECONDS_EACH'] ?? 3), rounds = Number(process.env['ROUNDS'] ?? 4);
for (const servers of Object.values(variants)) for (const s of servers) { await http([s], 'graphql', 3); await http([s], 'rest', 3); }
const ways: Record<string, () => Promise<Awaited<ReturnType<typeof http>>>> = { pgbench: () => bench(limit, seconds), 'pgbench reads': () => bench(reads, seconds) };
for (const [name, servers] of Object.entries(variants)) for (const kind of ['graphql', 'rest'] as const) {
  ways[`${name} ${kind} 2`] = () => http(servers, kind, seconds);
  if (!process.env['ONLY2']) ways[`${name} ${kind} 1`] = () => http(servers.slice(0, 1), kind, seconds);
}
const all: Record<string, Awaited<ReturnType<typeof http>>[]> = {};
for (let r = 0; r < rounds; r += 1) for (const [name, way] of Object.entries(ways)) (all[name] ??= []).push(await way());
const med = (v: number[]) => quantile(v, 0.5);
for (const [name, v] of Object.entries(all)) {
  const base = all['pgbench']!;
  const f = (k: 'perSecond' | 'node' | 'pg' | 'p50' | 'p99' | 'refused') => med(v.map((x) => x[k]));
  console.log(name.padEnd(28), f('perSecond').toFixed(0).padStart(5), '/s', med(v.map((x, i) => x.perSecond / base[i]!.perSecond)).toFixed(2), ' node', f('node').toFixed(0), ' pg', f('pg').toFixed(0), med(v.map((x, i) => x.pg / base[i]!.pg)).toFixed(2), ' p50', f('p50').toFixed(1), 'p99', f('p99').toFixed(1), 'refused', f('refused'));
}
for (const s of Object.values(variants).flat()) await s.signal('SIGTERM');
await stage.close();
