import { setTimeout as sleep } from 'node:timers/promises';
import { command, flag, type OptionsOf, option, passwordStdin, required, type Session, whole } from '../../command.js';
import { CommandError, wrongUsage } from '../../errors.js';
import { readSecret } from '../../terminal.js';
import { operation, table } from '../operation.js';

const ENDPOINT = '01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29';

const lanes = whole('--lanes <number>', 'bodies that may be on their way at once, up to 16');

const attemptColumns = [
  'attempted_at',
  'number as attempt',
  'outcome',
  'status_code as status',
  'duration_ms as ms',
  'error',
] as const;

const sendNowOptions = {
  user: option('--user <user>', 'all endpoints of this user that are active'),
  all: flag('--all', 'all endpoints that are active'),
};

function sendNowBody({ user, all }: OptionsOf<typeof sendNowOptions>, id: string | undefined) {
  const bodies = [
    ...(id === undefined ? [] : [{ endpoint_id: id }]),
    ...(user === undefined ? [] : [{ user_id: user }]),
    ...(all ? [{ all }] : []),
  ];
  const [body] = bodies;
  if (!body || bodies.length > 1) throw wrongUsage('Give one of an endpoint, --user and --all.');
  return body;
}

const replayOptions = {
  from: option('--from <time>', 'bodies created at this time or later, RFC 3339'),
  to: option('--to <time>', 'bodies created before this time, RFC 3339'),
  deadLetters: flag('--dead-letters', 'every dead letter'),
  wait: flag('--wait', 'end when all were acknowledged or given up again'),
};

function replayBody({ from, to, deadLetters }: OptionsOf<typeof replayOptions>) {
  if (deadLetters && from === undefined && to === undefined) return { dead_letters: true as const };
  if (!deadLetters && from !== undefined && to !== undefined) return { from, to };
  throw wrongUsage('Give either --from and --to, or --dead-letters.');
}

const LOOK_EVERY_MS = 500;

/** Waits until the endpoint has no replay left to make or send. Throws if the endpoint is disabled before that. */
async function allSent({ call, print }: Session, id: string): Promise<void> {
  const look = () => call('getWebhookEndpoint', { path: { id } });
  const leftOf = ({ replay_count: bodies, catch_up_count: packages }: typeof endpoint) => bodies + packages;
  let endpoint = await look();
  const whole = leftOf(endpoint);
  await print.progress(async (at) => {
    for (let left = whole; left > 0; left = leftOf(endpoint)) {
      if (endpoint.state === 'disabled') throw new CommandError('The endpoint is disabled; the rest waits.', 1);
      at(Math.max(0, whole - left), `${left} wait`);
      await sleep(LOOK_EVERY_MS);
      endpoint = await look();
    }
  }, whole);
}

// The maximum page size of the contract.
const MAX_ATTEMPTS = 100;

/** Lists deliveries. No single operation does this: the command groups the attempts at an endpoint. */
export const deliveryList = command({
  usage: 'deliveries list <endpoint>',
  summary: `List the bodies of the newest ${MAX_ATTEMPTS} attempts at an endpoint, each with its latest one. "malote endpoints dead-letters" lists those given up.`,
  run: async ({ call, print }, _options, id) => {
    const newest = await call('listWebhookAttempts', { path: { id }, query: { page_size: MAX_ATTEMPTS } });
    const latest = new Map(newest.data.toReversed().map((attempt) => [attempt.webhook_id, attempt]));
    const attempts = newest.data.filter((attempt) => latest.get(attempt.webhook_id) === attempt);
    print.all(attempts, ['webhook_id', ...attemptColumns]);
  },
});

export const webhookEndpoints = {
  createWebhookEndpoint: command({
    usage: 'endpoints create <address>',
    summary: 'Register an address for the tracking updates of a user; shows the signing secret, this once.',
    example: 'https://hooks.example.com/malote --user ana@example.com --username malote',
    options: {
      user: required(option('--user <user>', 'whose packages it is notified of')),
      username: required(option('--username <name>', 'user name of HTTP Basic')),
      passwordStdin,
      lanes,
      catchUp: flag('--catch-up', 'begin with the newest movement of each package under way'),
    },
    run: async (
      { call, terminal, print },
      { user, passwordStdin: fromStdin = false, catchUp = false, ...settings },
      url,
    ) => {
      const password = await readSecret(terminal, 'Password of HTTP Basic', fromStdin);
      const body = { ...settings, user_id: user, url, password, catch_up: catchUp };
      print.record(await call('createWebhookEndpoint', { body }));
      print.say('The signing secret is not shown again.');
    },
  }),
  listWebhookEndpoints: operation('listWebhookEndpoints', 'endpoints list', {
    summary: 'List webhook endpoints, newest first.',
    example: '--state disabled',
    show: table([
      'id',
      'url',
      ['state', (each) => [each.state, each.disabled_reason].filter(Boolean).join(': ')],
      'pending_count as waiting',
      'dead_letter_count as dead letters',
      'failing_since',
      ['last failure', ({ last_failure: last }) => last && (last.error ?? `status ${last.status_code}`)],
    ]),
  }),
  getWebhookEndpoint: operation('getWebhookEndpoint', 'endpoints show <endpoint>', {
    summary: 'Show a webhook endpoint with its state.',
  }),
  updateWebhookEndpoint: command({
    usage: 'endpoints update <endpoint>',
    summary: 'Change the address, the user name, the password or the lanes; other values stay.',
    example: `${ENDPOINT} --address https://hooks.example.com/v2 --lanes 4`,
    options: {
      address: option('--address <url>', 'new address'),
      username: option('--username <name>', 'new user name of HTTP Basic'),
      passwordStdin,
      lanes,
    },
    run: async ({ call, terminal, print }, { address, passwordStdin: fromStdin, ...changes }, id) => {
      const { url, username } = await call('getWebhookEndpoint', { path: { id } });
      const password = fromStdin ? { password: await readSecret(terminal, 'Password', true) } : {};
      const body = { username, ...changes, url: address ?? url, ...password };
      print.record(await call('updateWebhookEndpoint', { path: { id }, body }));
    },
  }),
  deleteWebhookEndpoint: operation('deleteWebhookEndpoint', 'endpoints delete <endpoint>', {
    summary: 'Delete a webhook endpoint with its waiting notifications.',
    says: 'Deleted.',
  }),
  testWebhookEndpoint: operation('testWebhookEndpoint', 'endpoints test <endpoint>', {
    summary: 'Send a body with one sample package.',
    says: (delivery) => `See what becomes of it: malote deliveries show ${delivery.webhook_id}`,
  }),
  enableWebhookEndpoint: command({
    usage: 'endpoints enable <endpoint>',
    summary:
      'Enable an endpoint: send its waiting bodies, and the newest movement of each package that moved meanwhile.',
    options: { catchUp: flag('--no-catch-up', 'leave out what moved while it was disabled') },
    run: async ({ call, print }, { catchUp = true }, id) => {
      print.record(await call('enableWebhookEndpoint', { path: { id }, body: { catch_up: catchUp } }));
    },
  }),
  disableWebhookEndpoint: operation('disableWebhookEndpoint', 'endpoints disable <endpoint>', {
    summary: 'Send nothing to an endpoint until it is enabled.',
  }),
  rotateSigningSecret: operation('rotateSigningSecret', 'endpoints rotate-secret <endpoint>', {
    summary: 'Make a new signing secret; shows it, this once.',
    says: 'The signing secret is not shown again.',
  }),
  rotateKeyPair: operation('rotateKeyPair', 'endpoints rotate-key-pair <endpoint>', {
    summary: 'Make a new key pair of signatures; shows the public key.',
  }),
  listWebhookAttempts: operation('listWebhookAttempts', 'endpoints attempts <endpoint>', {
    summary: 'List the requests to an endpoint, newest first.',
    show: table([...attemptColumns, 'webhook_id']),
  }),
  listDeadLetters: operation('listDeadLetters', 'endpoints dead-letters <endpoint>', {
    summary: 'List the bodies that were given up, newest first.',
    show: table([
      'webhook_id',
      'package_count as packages',
      'attempt_count as attempts',
      'created_at',
      'ended_at as given up at',
    ]),
  }),
  replayDeliveries: command({
    usage: 'endpoints replay <endpoint>',
    summary:
      'Send bodies of a range of time, or all dead letters, again; for a range also movements that were never sent.',
    example: `${ENDPOINT} --dead-letters`,
    options: replayOptions,
    run: async (session, { wait, ...options }, id) => {
      session.print.record(await session.call('replayDeliveries', { path: { id }, body: replayBody(options) }));
      if (wait) await allSent(session, id);
    },
  }),
  sendNow: command({
    usage: 'endpoints send-now [endpoint]',
    summary: 'Send bodies that wait for their next attempt now: of an endpoint, of a user, or all.',
    options: sendNowOptions,
    run: async ({ call, print }, options, id?: string) => {
      const counts = await call('sendNow', { body: sendNowBody(options, id) });
      print.record(counts);
      if (counts.more) print.say('More wait: run it again.');
    },
  }),
  getDelivery: operation('getDelivery', 'deliveries show <webhook-id>', {
    summary: 'Show a body with its state and its attempts.',
    show: (print, delivery) => {
      const { attempts, ...others } = delivery;
      print.record(delivery, others);
      print.rows(attempts, attemptColumns);
    },
  }),
  replayDelivery: operation('replayDelivery', 'deliveries replay <webhook-id>', { summary: 'Send one body again.' }),
};
