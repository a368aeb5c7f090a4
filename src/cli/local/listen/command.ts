import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrackingPayload } from '../../../../generated/tracking-webhook.js';
import { command, type OptionsOf, oneOf, option, passwordStdin, type Session, whole } from '../../command.js';
import { CommandError, wrongUsage } from '../../errors.js';
import type { Printer } from '../../printer.js';
import { readSecret } from '../../terminal.js';
import { type Certificate, certificateIn } from './certificate.js';
import {
  type Answer,
  type Arrival,
  type Expected,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from './receiver.js';

const answers: Readonly<Record<'500' | '410' | 'hang', Answer>> = { 500: 500, 410: 410, hang: 'hang' };

const options = {
  port: whole('--port <number>', 'port to listen at (default: 8443)'),
  username: option('--username <name>', 'user name that Basic must carry (default: WEBHOOK_USERNAME, else malote)'),
  passwordStdin,
  secret: option('--secret <whsec>', 'signing secret of the endpoint (default: WEBHOOK_SECRET)'),
  publicKey: option('--public-key <whpk>', 'public key of the endpoint, which its other signature is checked by'),
  cert: option(
    '--cert <path>',
    'PEM of the certificate (default: one that is generated, and stored for the next time)',
  ),
  key: option('--key <path>', 'PEM of its private key'),
  fail: oneOf('--fail <how>', 'what to answer instead of 200, to see what the sender does', ['410', '500', 'hang']),
  count: whole('--count <number>', 'end after so many requests'),
};
type ListenOptions = OptionsOf<typeof options>;

export const listen = command({
  usage: 'listen',
  summary: 'Receive tracking updates on this machine, check them and print what arrives, one line for each package.',
  example: '--port 8443 --username malote --password-stdin --secret whsec_…',
  options,
  run: async (session, given) => {
    const { fail, count = Number.POSITIVE_INFINITY } = given;
    const end = new AbortController();
    const arrivals = printArrivals(session.print, (requests) => requests >= count && end.abort());
    const answer = fail === undefined ? 200 : answers[fail];
    const over = interrupted(end.signal);
    try {
      const receiver = await start(session, given, { answer, onArrival: arrivals.print });
      await over;
      await receiver.close();
    } finally {
      end.abort();
    }
    if (arrivals.faulty() > 0) throw new CommandError(`Not as they should be: ${arrivals.faulty()} requests.`, 1);
  },
});

type Behaviour = Pick<ReceiverOptions, 'answer' | 'onArrival'>;

async function start({ print, terminal, config }: Session, options: ListenOptions, behaviour: Behaviour) {
  const { port = 8443, username = config.webhookUsername ?? 'malote', passwordStdin: fromStdin = false } = options;
  const password = fromStdin ? await readSecret(terminal, 'Password of HTTP Basic', true) : config.webhookPassword;
  const secret = checkedSecret(options.secret ?? config.webhookSecret);
  const { cert, key, path } = await certificateOf(options, config.configHome);
  const expected = { username, password, secret, publicKey: checkedPublicKey(options.publicKey) };
  const receiver = await startReceiver({ cert, key, port, ...behaviour, ...expected }).catch((error: unknown) => {
    throw wrongUsage(`Cannot listen at port ${port}: ${error instanceof Error ? error.message : String(error)}`);
  });
  print.say(advice(receiver, expected, options.cert ? undefined : path));
  return receiver;
}

/** Checks the form of a signing secret. Throws CommandError. */
export function checkedSecret(secret: string | undefined): string | undefined {
  if (secret === undefined || /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) return secret;
  throw wrongUsage('The secret is not valid: it begins with whsec_, and base64 follows.');
}

function checkedPublicKey(publicKey: string | undefined): string | undefined {
  if (publicKey === undefined || /^whpk_[A-Za-z0-9+/]{43}=$/.test(publicKey)) return publicKey;
  throw wrongUsage('The public key is not valid: it begins with whpk_, and base64 of 32 bytes follows.');
}

async function certificateOf({ cert, key }: ListenOptions, configHome: string): Promise<Omit<Certificate, 'isNew'>> {
  if (cert === undefined && key === undefined) return certificateIn(join(configHome, 'malote', 'listen'));
  if (cert === undefined || key === undefined) throw wrongUsage('Give both --cert and --key, or neither.');
  const [certText, keyText] = await Promise.all([cert, key].map((path) => readFile(path, 'utf8'))).catch(
    (error: Error) => {
      throw wrongUsage(`The certificate cannot be read: ${error.message}`);
    },
  );
  return { cert: certText ?? '', key: keyText ?? '', path: cert };
}

/** Resolves at Ctrl-C, or when the signal aborts. */
async function interrupted(signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = { signal: AbortSignal.any([signal, over.signal]) };
  await Promise.race(['SIGINT', 'SIGTERM'].map((name) => once(process, name, either))).catch(() => undefined);
  over.abort();
}

// The ports that the service sends to by default.
const usualPorts = [443, 8443];

/**
 * Says which settings and which endpoint the service needs to reach the receiver. `ownCertificate` is the path of a
 * certificate to trust.
 */
function advice({ url, port }: Receiver, expected: Expected, ownCertificate: string | undefined): string {
  const { username, password, secret, publicKey } = expected;
  const settings = [
    ...(ownCertificate === undefined ? [] : [`WEBHOOK_EXTRA_CA=${ownCertificate}`]),
    'WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128',
    ...(usualPorts.includes(port) ? [] : [`WEBHOOK_PORTS=${[...usualPorts, port].join(',')}`]),
  ];
  const basic = password === undefined ? 'no Basic (give WEBHOOK_PASSWORD or --password-stdin)' : 'Basic';
  const unsigned = 'no signature (give WEBHOOK_SECRET, --secret or --public-key)';
  const signature = secret === undefined && publicKey === undefined ? unsigned : 'signature';
  return [
    `Listening at ${url}; checks the schema, ${basic}, ${signature}. Ctrl-C ends it.`,
    'The service must be started with these settings:',
    `  ${settings.join(' ')}`,
    'Register the address once; the answer shows the signing secret:',
    `  malote endpoints create ${url} --user <user> --username ${username} --password-stdin`,
  ].join('\n');
}

type Tracked = TrackingPayload['packages'][number];

/** Writes a package as one line for a person. */
export function lineOf({ trackingCode, status, location, trackingHistory }: Tracked): string {
  const extra = status.actionRequired?.reasonLabel ?? status.pickupAgency?.address;
  const note = extra ? ` [${extra}]` : '';
  const code = String(status.code).padStart(2);
  const place = `${location.city}/${location.state}`;
  return `${trackingCode}  ${code} ${status.highLevelStatus}${note}, ${place}, ${trackingHistory.length} earlier`;
}

/** Prints arriving deliveries, one line per package, and counts them. `counted` gets the number of requests so far. */
function printArrivals(printer: Printer, counted: (requests: number) => void) {
  let [requests, faulty] = [0, 0];
  const print = (arrival: Arrival): void => {
    const { webhookId, at, faults, duplicate, replay, payload } = arrival;
    const marks = [...faults, ...(duplicate ? ['came before'] : []), ...(replay ? ['replayed'] : [])];
    const record = { webhook_id: webhookId, received_at: at.toISOString(), duplicate, replay, faults };
    const line = (text: string) =>
      `${at.toISOString().slice(11, 19)}  ${text}${marks.length > 0 ? `: ${marks.join('; ')}` : ''}`;
    for (const tracked of payload?.packages ?? [])
      printer.event({ ...record, package: tracked }, line(lineOf(tracked)));
    if (!payload) printer.event({ ...record, package: null }, line(webhookId || 'no webhook-id'));
    requests += 1;
    if (faults.length > 0) faulty += 1;
    counted(requests);
  };
  return { print, faulty: () => faulty };
}
