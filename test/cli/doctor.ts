import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import type { Complaint } from '../support/processes/doctor.js';
import { ring } from '../webhook/support.js';
import { beside } from './malote.js';

export type Finding = Complaint;

const ringText = `test:${ring[0].secret.toString('base64')}`;

/** Runs `malote doctor` on a database, with the settings of a deployment and `settings`. */
export async function examine(databaseUrl: string, settings: Record<string, string> = {}, args: string[] = []) {
  const malote = beside({
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(tmpdir(), `malote-test-doctor-${process.pid}`),
    NODE_ENV: 'production',
    PUBLIC_URL: 'https://malote.example',
    JWT_KEYS: ringText,
    API_KEY_SECRETS: ringText,
    ENCRYPTION_KEYS: ringText,
    CODE_KEYS: ringText,
    INTERNAL_PORT: '2',
    ...settings,
  });
  const { code, out, err } = await malote.run(['doctor', '--json', ...args]);
  const { data }: { data: Finding[] } = JSON.parse(out);
  return { code, err, of: (check: string) => data.find((each) => each.check === check), data };
}

/** A finding's status and words. */
export const seeing = (status: string, seen: RegExp) => ({ status, seen: expect.stringMatching(seen) });
