import { readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '../../test/support/receiver.js';
import { familyOf, type Machine } from './machine.js';

/** The two PostgreSQL servers of the cluster, as Patroni reports them. */
export interface Members {
  /** The leader and the follower. Throws while there is no leader. */
  pair(): Promise<{ leader: Machine; follower: Machine }>;
  /** Resolves when one member leads and the other follows it synchronously. */
  whole(withinMs?: number): Promise<void>;
  /** Makes the follower the leader, as an operator does on purpose. Resolves when Patroni reports success. */
  switchOver(): Promise<void>;
}

/** The answer of Patroni's GET /cluster. */
interface State {
  members: { name: string; role: string; state: string }[];
}

const WHOLE_MS = 90_000;

export function membersOf(machines: readonly Machine[]): Members {
  const state = async (): Promise<State> => {
    for (const { address } of machines) {
      const answer = await ask(address, '/cluster').catch(() => undefined);
      if (answer?.ok) return answer.json() as Promise<State>;
    }
    return { members: [] };
  };

  const pair = async () => {
    const { members } = await state();
    const name = members.find(({ role, state: doing }) => role === 'leader' && doing === 'running')?.name;
    const leader = machines.find((machine) => machine.name === name);
    const follower = machines.find((machine) => machine.name !== name);
    if (!leader || !follower) throw new Error('no member leads');
    return { leader, follower };
  };

  const isWhole = async () => {
    const { members } = await state();
    const [leads, follows] = ['leader', 'sync_standby'].map((role) => members.find((member) => member.role === role));
    return leads?.state === 'running' && follows?.state === 'streaming';
  };

  return {
    pair,
    whole: (withinMs = WHOLE_MS) => waitFor(isWhole, 'a leader and a follower of it', withinMs),
    switchOver: async () => {
      const { leader } = await pair();
      const body = JSON.stringify({ leader: leader.name });
      const answer = await ask(leader.address, '/switchover', { method: 'POST', body });
      if (!answer.ok) throw new Error(`Patroni refused the switchover: ${await answer.text()}`);
    },
  };
}

const ask = (address: string, path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://${address}:8008${path}`, { signal: AbortSignal.timeout(30_000), ...init });

/** The ids of PostgreSQL's processes on a member, without Patroni. The main process comes first. */
export function postgresOf({ root }: Machine): number[] {
  const folder = join(root, 'var/lib/postgresql/data');
  try {
    const pid = Number(readFileSync(join(folder, 'postmaster.pid'), 'utf8').split('\n')[0]);
    // The file stays after a kill, and another process may have its id by now.
    return readlinkSync(`/proc/${pid}/cwd`) === folder ? familyOf(pid) : [];
  } catch {
    return [];
  }
}
