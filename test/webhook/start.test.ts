import { expect, test } from '@jest/globals';
import { createLog } from '../../src/base/log.js';
import { startService } from '../support/service.js';

test('a start on a slow machine is quiet: the sender asks the database only when the doors are built', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'warn', destination: { write: (line) => void lines.push(line) } });
  const longestWait = 2_000;
  /** The doors get their own loggers while they are built: that takes the process longer than a connection is waited for. */
  const slow = Object.create(log, {
    child: {
      value: (...given: Parameters<typeof log.child>) => {
        for (const until = performance.now() + 1.2 * longestWait; performance.now() < until; );
        return log.child(...given);
      },
    },
  });
  const service = await startService({ DATABASE_CONNECT_TIMEOUT_MS: String(longestWait) }, { log: slow });
  await service.stop();
  expect(lines).toEqual([]);
});
