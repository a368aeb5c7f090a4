import { expect, test } from '@jest/globals';
import { createLog } from '../../src/base/telemetry/log.js';
import { startService } from '../support/service.js';

test('a start on a slow machine logs nothing: the worker asks the database only when the interfaces are built', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const longestWait = 5_000;
  let building = true;
  // The interfaces create their own logger while they are built. Here this takes longer than the timeout of a
  // connection.
  const slow = new Proxy(log, {
    get: (target, name) => {
      if (name === 'child' && building) {
        building = false;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1.2 * longestWait);
      }
      return Reflect.get(target, name);
    },
  });
  const service = await startService({ DATABASE_CONNECT_TIMEOUT_MS: String(longestWait) }, { log: slow });
  await service.stop();
  expect({ building, lines }).toEqual({ building: false, lines: [] });
});
