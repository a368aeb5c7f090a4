import { X509Certificate } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { version } from '../../base/version.js';
import { addressRules } from '../../endpoints/addresses.js';
import { isPrivateKey, newKeyPair, publicHalf, toJwk, toPrivateKey } from '../../endpoints/key-pairs.js';
import type { CheckResult, ReceiverToVerify } from '../../endpoints/verification.js';
import { command, flag, type OptionsOf, option, passwordStdin, type Session } from '../command.js';
import { CommandError, orWrongUsage, wrongUsage } from '../errors.js';
import { readSecret } from '../terminal.js';
import { checkedSecret } from './listen/command.js';

const options = {
  username: option('--username <name>', 'user name that the receiver expects (default: WEBHOOK_USERNAME)'),
  passwordStdin,
  secret: option('--secret <whsec>', 'signing secret of the endpoint (default: the first of WEBHOOK_SECRET)'),
  oldSecret: option(
    '--old-secret <whsec>',
    'secret before it, while the carrier changes it: the requests carry both signatures (default: the second)',
  ),
  ed25519: flag(
    '--ed25519',
    'sign by a private key instead, for a receiver that verifies by public keys; prints what to give to it',
  ).conflicts(['secret', 'oldSecret']),
  ca: option('--ca <path>', 'PEM of an authority that is trusted besides the public ones'),
  allowPrivate: option(
    '--allow-private <cidrs>',
    'networks that may be tried though they are not public, e.g. 127.0.0.0/8,::1/128',
  ),
};
type VerifyOptions = OptionsOf<typeof options>;

export const verifyReceiver = command({
  usage: 'verify-receiver <url>',
  summary: `Try a receiver of tracking updates by requests as the service sends them, and say what to mend.

Needs no service and no sign-in: whoever runs a receiver runs this too. It sends two dozen requests with sample
packages, which are in no order and whose keys begin with 00000000-0000-7000-8000.
The password comes from --password-stdin or WEBHOOK_PASSWORD, or is asked for.
Exit codes of this command: 0 passed, with or without warnings, 1 something failed, 2 wrong usage.`,
  example: 'https://hooks.example.com/malote --username malote --secret whsec_…',
  options,
  run: async (session, given, url) => {
    const receiver = await receiverOf(session, given, url);
    const publicKey = isPrivateKey(receiver.secret) ? publicHalf(receiver.secret) : undefined;
    if (publicKey !== undefined) session.print.say(advice(publicKey));
    const checks = await session.print.progress((at) =>
      session.verifyReceiver(receiver, (check, number, of) => at(number, `${check} (${number} of ${of})`)),
    );
    const head = { receiver: url, verified_at: new Date().toISOString(), malote: version };
    print(session, { ...head, ...(publicKey !== undefined && { public_key: publicKey }) }, checks);
    const failed = checks.filter(({ result }) => result === 'failed').length;
    const notTried = checks.filter(({ result }) => result === 'not_tried').length;
    if (failed + notTried === 0) return;
    throw new CommandError(`${failed} of ${checks.length} checks failed, ${notTried} were not tried.`, 1);
  },
});

async function receiverOf(
  { config, terminal }: Session,
  options: VerifyOptions,
  url: string,
): Promise<ReceiverToVerify> {
  if (!URL.canParse(url)) throw wrongUsage('The address of the receiver is not a URL.');
  const { username = config.webhookUsername, passwordStdin: fromStdin = false } = options;
  if (username === undefined) throw wrongUsage('Give --username, or set WEBHOOK_USERNAME.');
  const secrets = options.ed25519
    ? { secret: await privateKeyIn(join(config.configHome, 'malote', 'verify-receiver')) }
    : secretsOf(options, config);
  const addresses = await orWrongUsage(
    '--allow-private takes networks such as 127.0.0.0/8, with commas between them.',
    () => addressRules(options.allowPrivate?.split(',') ?? [], [Number(new URL(url).port || 443)]),
  );
  const { ca } = options;
  const badCa = '--ca must be the path of a readable PEM file of certificates.';
  const extraCa = ca === undefined ? undefined : await orWrongUsage(badCa, () => authorityIn(ca));
  const configured = fromStdin ? undefined : config.webhookPassword;
  const password = configured ?? (await readSecret(terminal, 'Password of HTTP Basic', fromStdin));
  return { url, username, password, ...secrets, addresses, extraCa };
}

function secretsOf(options: VerifyOptions, { webhookSecret }: Session['config']) {
  const [first, second] = webhookSecret?.split(' ') ?? [];
  const [secret, oldSecret] = [options.secret ?? first, options.oldSecret ?? second].map(checkedSecret);
  if (secret === undefined) throw wrongUsage('Give --secret or --ed25519, or set WEBHOOK_SECRET.');
  return { secret, oldSecret };
}

/** Reads or makes the private key. It is stored, so that a receiver with its public key can be tested again. */
async function privateKeyIn(directory: string): Promise<string> {
  const path = join(directory, 'ed25519.key');
  try {
    const stored = (await readFile(path, 'utf8')).trim();
    toPrivateKey(stored);
    return stored;
  } catch {
    const { privateKey } = newKeyPair();
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await writeFile(path, `${privateKey}\n`, { mode: 0o600 });
    return privateKey;
  }
}

/** Says how the receiver gets the public key. */
const advice = (publicKey: string): string =>
  [
    'It signs by a key pair of its own, which is the same the next time. Give the receiver the public key:',
    `  ${publicKey}`,
    'A receiver that fetches keys must get them from an address of yours with this content:',
    `  ${JSON.stringify({ keys: [toJwk(publicKey)] })}`,
  ].join('\n');

async function authorityIn(path: string): Promise<string> {
  const pem = await readFile(path, 'utf8');
  new X509Certificate(pem);
  return pem;
}

function print({ print }: Session, head: object, checks: CheckResult[]): void {
  print.record({ ...head, checks }, head);
  print.rows(checks, ['result as  ', 'check', 'means as passed means', 'seen']);
  print.rows(
    checks.filter(({ advice }) => advice !== undefined),
    ['check as to mend', 'advice as what to do'],
  );
}
