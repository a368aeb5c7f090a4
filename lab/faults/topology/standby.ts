import { type Complaint, complaintsOf, inWords } from '../../../test/support/processes/doctor.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { waitFor } from '../../../test/support/receiver.js';
import { signalAll } from '../../cluster/machine.js';
import { postgresOf } from '../../cluster/members.js';
import type { TopologyFault } from './fault.js';
import { startLoad } from './load.js';
import { PATH, serviceNames, settleLoad, type Topology, unexpected } from './topology.js';

const TOLD_MS = 60_000;

/** Waits until the process that reports the database's standbys reports so many. */
const untilTold = ({ cluster }: Topology, standbys: number): Promise<void> => {
  const sample = new RegExp(`^malote_database_standbys ${standbys}$`, 'm');
  const tells = async (name: string): Promise<boolean> => {
    const answer = await fetch(`http://${cluster.machine(name).address}:3001/metrics`);
    return sample.test(await answer.text());
  };
  return waitFor(
    async () => (await Promise.all(serviceNames.map((name) => tells(name).catch(() => false)))).includes(true),
    `malote_database_standbys ${standbys}`,
    TOLD_MS,
  );
};

/** Wrong findings of the doctor while the standby is lost. The slot must stay, because the standby is expected back. */
function misjudged(complaints: readonly Complaint[]): string[] {
  const { status, advice = '' } = complaints.find(({ check }) => check === 'replication') ?? {};
  return [
    ...expectThat(status === 'bad' && advice.startsWith('A standby is lost'), `not told: ${inWords(complaints)}`),
    ...expectThat(!/\bdrop\b/i.test(advice), `told to drop the slot: ${advice}`),
    ...expectThat(complaints.length === 1, `told besides: ${inWords(complaints)}`),
  ];
}

export const lostStandby: TopologyFault = {
  what: 'the standby killed (PostgreSQL and Patroni) under load, and started again',
  promise:
    'nothing acknowledged is lost; malote doctor finds nothing before and after, and meanwhile that a standby is lost; the metric falls and rises',
  run: async (topology) => {
    const { cluster, stage } = topology;
    const settings = topology.settingsOf('api-1');
    const complaints = () => complaintsOf(stage, settings);
    const load = await startLoad(topology.url, topology.customer, PATH);
    await untilTold(topology, 1);
    const before = await complaints();
    const { follower } = await cluster.members.pair();
    signalAll(postgresOf(follower), 'SIGKILL');
    await follower.signal('SIGKILL');
    await untilTold(topology, 0);
    let meanwhile: Complaint[] = [];
    // Commits wait for the standby until Patroni removes its name. The doctor reports this first.
    const goesOn = async () => {
      meanwhile = await complaints();
      return !meanwhile.some(({ advice }) => advice?.startsWith('Every commit waits'));
    };
    await waitFor(goesOn, 'Patroni to go on without the standby', TOLD_MS);
    await follower.start();
    await cluster.members.whole();
    await untilTold(topology, 1);
    const after = await complaints();
    const finding = await settleLoad(topology, load);
    await stage.complete('malote migrate --status', settings);
    return {
      figures: `meanwhile: ${inWords(meanwhile)}; ${finding.figures}`,
      breaches: [
        ...finding.breaches,
        ...unexpected(load, /^. (409|503)$/),
        ...expectThat(before.length === 0, `the healthy cluster is found ill: ${inWords(before)}`),
        ...misjudged(meanwhile),
        ...expectThat(after.length === 0, `the whole cluster is found ill: ${inWords(after)}`),
      ],
    };
  },
};
