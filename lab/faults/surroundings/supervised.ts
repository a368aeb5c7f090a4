import { countTogether, killSupervised } from '../../../test/support/processes/supervised.js';
import type { Fault } from '../fault.js';

export const killedProcess: Fault = {
  what: 'kill -9 of processes of one supervisor while orders are created',
  promise: 'as killed-api, the others go on, each is replaced',
  run: ({ stage, random }) => killSupervised({ stage, random }, 8),
};

export const hungProcess: Fault = {
  what: 'kill -STOP of processes of one supervisor while orders are created',
  promise: 'as killed-process; each is ended and replaced within 30 s',
  run: ({ stage, random }) => killSupervised({ stage, random }, 3, { signal: 'SIGSTOP', withinMs: 30_000 }),
};

export const limitsAcrossProcesses: Fault = {
  what: 'more requests at once than the limit, to three processes of one supervisor',
  promise: 'exactly the limit passes',
  run: ({ stage }) => countTogether(stage, 1_000),
};
