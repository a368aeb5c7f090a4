import { hostname } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { createLog } from '../../src/base/telemetry/log.js';

/** Writes through a log and returns its lines. */
function linesOf(write: (log: ReturnType<typeof createLog>) => void, redact: string[] = []): string[] {
  const lines: string[] = [];
  write(createLog({ level: 'info', redact, destination: { write: (line) => lines.push(line) } }));
  return lines;
}

describe('log', () => {
  test('writes JSON with the level by name, an ISO time, and the process that wrote it', () => {
    const [line = ''] = linesOf((log) => log.info({ order: 'x' }, 'created'));
    expect(JSON.parse(line)).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      service: 'malote',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      host: hostname(),
      pid: process.pid,
      order: 'x',
      msg: 'created',
    });
  });

  test('is silent below its level', () => {
    expect(linesOf((log) => log.debug('x'))).toEqual([]);
  });

  test('redacts the configured paths', () => {
    const [line] = linesOf(
      (log) => log.info({ body: { password: 'canary' }, api_key: 'canary' }),
      ['body.password', 'api_key'],
    );
    expect(line).not.toContain('canary');
  });

  test('shows only the safe parts of an error', () => {
    const error = Object.assign(
      new Error('connect postgres://malote:canary@db/x failed', { cause: new Error('https://u:canary@h') }),
      {
        code: 'ECONNREFUSED',
        detail: 'Key (email)=(canary@example.com) already exists.',
        options: { headers: { authorization: 'Basic canary' } },
      },
    );
    const [line = ''] = linesOf((log) => log.error({ err: error }, 'failed'));
    expect(line).not.toContain('canary');
    expect(JSON.parse(line).err).toMatchObject({
      code: 'ECONNREFUSED',
      stack: expect.any(String),
      cause: { type: 'Error' },
    });
  });

  test('survives a cause that leads back to itself, and a value that is not an error', () => {
    const error = new AggregateError([new Error('one')], 'many');
    error.cause = error;
    const lines = linesOf((log) => {
      log.error(error);
      log.error({ err: { password: 'canary' } });
    });
    expect(JSON.parse(lines[0] ?? '').err.errors[0].message).toBe('one');
    expect(lines.join()).not.toContain('canary');
  });
});
