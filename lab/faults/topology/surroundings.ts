import { setTimeout as sleep } from 'node:timers/promises';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { patient, type TopologyFault } from './fault.js';
import { startLoad } from './load.js';
import { PATH, type ServiceName, settleLoad } from './topology.js';

const LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const TRIED_MS = 15_000;

const offsets: Readonly<Record<ServiceName, string>> = {
  'api-1': '+10m',
  'api-2': '-10m',
  'worker-1': '-10m',
  'worker-2': '+10m',
};

export const wrongClocks: TopologyFault = {
  what: "the clocks of the service's machines 10 minutes ahead and behind",
  promise: 'no request fails; nothing is lost, sent twice or out of order',
  settings: patient,
  run: async (topology) => {
    for (const [name, offset] of Object.entries(offsets) as [ServiceName, string][]) {
      await topology.processes.get(name)?.signal('SIGTERM');
      await topology.start(name, { LD_PRELOAD: LIBRARY, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' });
    }
    const load = await startLoad(topology.url, topology.customer, PATH);
    await sleep(TRIED_MS);
    const finding = await settleLoad(topology, load);
    return {
      ...finding,
      breaches: [...finding.breaches, ...expectThat(load.others.size === 0, 'requests failed')],
    };
  },
};
