import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createAuthority, play, startReceiver } from '../support/receiver.js';
import { answering, login, oldSecret, type Parts, rightBy, secret } from '../webhook/trial-receiver.js';
import { malote } from './malote.js';

const authority = await createAuthority();
const receiver = await startReceiver({ authority });
afterAll(() => receiver.close());
const customer = malote({ WEBHOOK_PASSWORD: login.password, WEBHOOK_SECRET: `${secret} ${oldSecret}` });
const ca = join(customer.folder, 'ca.pem');
await writeFile(ca, authority.cert);
const here = ['--ca', ca, '--allow-private', '127.0.0.0/8,::1/128'];
const args = ['verify-receiver', receiver.url, '--username', login.username, ...here];

/** Rows of checks with their meanings. Columns are as wide as their longest text. */
const CHECKS = /(?<=^(?:passed|failed|warning) +)[a-z-]+ +\S.*?(?= {2})/gm;

const behave = (parts: Partial<Parts>): void => {
  const answer = answering(parts);
  receiver.always((request, response, received) => play({ status: answer(received) }, request, response));
};

test('malote verify-receiver passes a sound receiver with both secrets, and shows no secret', async () => {
  behave({});
  const { code, out, err } = await customer.run(args);
  expect([code, err]).toEqual([0, '']);
  expect(out).toMatch(/^receiver +https:\/\/localhost:\d+\/hook\nverified_at +20.*\nmalote +1\./);
  expect(out).toMatch(/^passed +old-secret +the old secret alone is accepted +200 in /m);
  expect(out).toMatch(/^TO MEND +WHAT TO DO\naddress +Ask the carrier/m);
  expect(out.match(CHECKS)).toEqual(readFileSync('contracts/guides/webhook.md', 'utf8').match(CHECKS));
  for (const hidden of [login.password, secret, oldSecret]) expect(out).not.toContain(hidden);
});

test('malote verify-receiver --ed25519 makes a key pair once, and prints the public key for the receiver', async () => {
  const refused = await customer.run([...args, '--ed25519']);
  expect(refused).toMatchObject({ code: 1, out: expect.stringMatching(/^failed +delivery /m) });
  const [, jwks = ''] = /^ +(\{"keys":.*)$/m.exec(refused.err) ?? [];
  const [key] = JSON.parse(jwks).keys;
  expect(refused.err).toContain(`  ${key.public_key}\n`);
  const isRight = rightBy(createPublicKey({ key, format: 'jwk' }));
  behave({ isRight });
  const { code, out } = await customer.run([...args, '--ed25519']);
  expect([code, out]).toEqual([0, expect.stringMatching(/^public_key +whpk_/m)]);
  expect(out).toContain(key.public_key);
  behave({ isRight, isSigned: () => true });
  const { checks } = JSON.parse((await customer.run([...args, '--ed25519', '--json'])).out);
  const failed = checks.filter(({ result }: { result: string }) => result === 'failed');
  const forgeries = ['wrong-signature', 'missing-signature', 'changed-body'];
  expect(failed.map(({ check }: { check: string }) => check)).toEqual(forgeries);
});

test('malote verify-receiver says how to repair a faulty receiver, for scripts, too', async () => {
  behave({ repeated: 409 });
  const own = malote({ WEBHOOK_USERNAME: login.username });
  const given = ['--password-stdin', '--secret', secret, ...args.slice(4), '--json'];
  const { code, out, err } = await own.run(['verify-receiver', receiver.url, ...given], login.password);
  expect([code, err]).toEqual([1, expect.stringMatching(/^malote: 1 of \d+ checks failed, 0 were not tried\.\n$/)]);
  const { checks, ...head } = JSON.parse(out);
  expect(head).toEqual({ receiver: receiver.url, verified_at: expect.any(String), malote: expect.any(String) });
  const failed = checks.filter(({ result }: { result: string }) => result === 'failed');
  const [seen, advice] = [expect.stringMatching(/^409 in/), expect.stringContaining('Answer 200')];
  expect(failed).toEqual([{ check: 'duplicate', means: expect.any(String), result: 'failed', seen, advice }]);
});

test.each<[string[], string]>([
  [[], 'The address of the receiver is not a URL.'],
  [['--username', 'malote', '--secret', 'short'], 'The secret is not valid'],
  [['--username', 'malote'], 'Give --secret'],
  [['--secret', secret], 'Give --username'],
  [['--username', 'malote', '--secret', secret, '--ca', '/nowhere'], '--ca must be'],
  [['--username', 'malote', '--secret', secret, '--allow-private', 'here'], '--allow-private takes'],
  [['--username', 'malote', '--secret', secret, '--ed25519'], 'cannot be used with option'],
  [['--username', 'malote', '--secret', secret], 'no terminal to ask for the password'],
])('%j is wrong usage', async (options, message) => {
  const own = malote({});
  const url = options.length === 0 ? 'hooks' : receiver.url;
  const { code, err } = await own.run(['verify-receiver', url, ...options]);
  expect([code, err]).toEqual([2, expect.stringContaining(message)]);
});
