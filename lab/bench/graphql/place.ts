import type { Child } from '../../../test/support/processes/child.js';
import type { Run } from '../../figures.js';
import type { Job } from './load.js';
import type { Stage } from './stage.js';

/** A run, and PostgreSQL's CPU per order in microseconds. */
export type Placed = Required<Run> & { postgres: number };

let used = 0;
/** Numbers that no other run uses. They have twelve digits, because eight digits would be read as a CEP. */
const fresh = (): number => 100_000_000_000 + 100_000_000 * ++used;

/** Orders until the just-in-time compiler of a process has finished. */
export const warming = { seconds: 60, orders: 2_500 };

/** Creates orders by GraphQL on these servers. */
export async function place(
  { load, postgresCpu, customer: { authorization, paymentMethod } }: Stage,
  servers: readonly Child[],
  extent: Pick<Job, 'seconds' | 'orders' | 'clients'>,
): Promise<Placed> {
  const cpuOfAll = async () => (await Promise.all(servers.map(({ cpu }) => cpu()))).reduce((sum, each) => sum + each);
  const before = [await cpuOfAll(), await postgresCpu()] as const;
  const { orders, refused, ...result } = await load({
    urls: servers.map(({ url }) => url),
    interfaceName: 'graphql',
    authorization: authorization.graphql,
    paymentMethod,
    named: false,
    firstNumber: fresh(),
    ...extent,
  });
  if (refused > 0) console.log(`Note: ${refused} requests were refused with 503 beside ${orders} orders.`);
  const cpu = ((await cpuOfAll()) - before[0]) / orders;
  const postgres = (((await postgresCpu()) - before[1]) * 1000) / orders;
  return { perSecond: orders / result.seconds, cpu, postgres, latencies: result.latencies };
}
