import {
  command,
  oneOf,
  option,
  type PageOptions,
  type PasswordOptions,
  pageOptions,
  pageQuery,
  passwordStdin,
  required,
  type Session,
  whole,
} from '../../command.js';
import { readSecret } from '../../terminal.js';
import { bodyOf, done } from '../client.js';

const states = ['active', 'disabled'] as const;

const lanesOption = whole('--lanes <number>', 'bodies that may be on their way at once, up to 16');

interface Filters extends PageOptions {
  user?: string;
  state?: (typeof states)[number];
  trouble?: boolean;
}

interface Settings extends PasswordOptions {
  username: string;
  lanes?: number;
}

export async function endpoint({ operator }: Session, id: string) {
  return bodyOf(operator.GET('/operator/v1/webhook-endpoints/{id}', { params: { path: { id } } }));
}

export const webhookEndpoints = {
  createWebhookEndpoint: command<Settings & { user: string }>({
    usage: 'endpoints create <address>',
    summary: 'Register an address for the tracking updates of a user; shows the signing secret, this once.',
    example: 'endpoints create https://hooks.example.com/malote --user ana@example.com --username malote',
    options: [
      required(option('--user <user>', 'whose packages it is notified of')),
      required(option('--username <name>', 'user name of HTTP Basic')),
      passwordStdin,
      lanesOption,
    ],
    run: async ({ operator, terminal, print }, { user, passwordStdin: fromStdin = false, ...settings }, url) => {
      const password = await readSecret(terminal, 'Password of HTTP Basic', fromStdin);
      const body = { ...settings, user_id: user, url, password };
      print.record(await bodyOf(operator.POST('/operator/v1/webhook-endpoints', { body })));
      print.say('The signing secret is not shown again.');
    },
  }),

  listWebhookEndpoints: command<Filters>({
    usage: 'endpoints list',
    summary: 'List webhook endpoints, newest first.',
    example: 'endpoints list --state disabled',
    options: [
      option('--user <user>', 'only endpoints of this user'),
      oneOf('--state <state>', 'only endpoints in this state', states),
      option('--trouble', 'only endpoints that are failing or disabled, or have dead letters'),
      ...pageOptions,
    ],
    run: async ({ operator, print }, { user, state, trouble, ...page }) => {
      const filters = {
        ...(user !== undefined && { user_id: user }),
        ...(state && { state }),
        ...(trouble && { trouble }),
      };
      const query = { ...pageQuery(page), ...filters };
      print.list(await bodyOf(operator.GET('/operator/v1/webhook-endpoints', { params: { query } })), {
        id: (each) => each.id,
        url: (each) => each.url,
        state: (each) => [each.state, each.disabled_reason].filter(Boolean).join(': '),
        waiting: (each) => each.pending_count,
        'dead letters': (each) => each.dead_letter_count,
        'failing since': (each) => each.failing_since,
        'last failure': ({ last_failure: last }) => last && (last.error ?? `status ${last.status_code}`),
      });
    },
  }),

  getWebhookEndpoint: command({
    usage: 'endpoints show <endpoint>',
    summary: 'Show a webhook endpoint with its state.',
    example: 'endpoints show 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
    run: async (session, _options, id) => session.print.record(await endpoint(session, id)),
  }),

  updateWebhookEndpoint: command<Partial<Settings> & { address?: string }>({
    usage: 'endpoints update <endpoint>',
    summary: 'Change the address, the user name, the password or the lanes; what is left out stays.',
    example: 'endpoints update 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29 --address https://hooks.example.com/v2 --lanes 4',
    options: [
      option('--address <url>', 'new address'),
      option('--username <name>', 'new user name of HTTP Basic'),
      passwordStdin,
      lanesOption,
    ],
    run: async (session, { address, username, lanes, passwordStdin: fromStdin }, id) => {
      const { operator, terminal, print } = session;
      const current = await endpoint(session, id);
      const password = fromStdin ? { password: await readSecret(terminal, 'Password', true) } : {};
      const body = {
        url: address ?? current.url,
        username: username ?? current.username,
        ...(lanes !== undefined && { lanes }),
        ...password,
      };
      print.record(
        await bodyOf(operator.PUT('/operator/v1/webhook-endpoints/{id}', { params: { path: { id } }, body })),
      );
    },
  }),

  deleteWebhookEndpoint: command({
    usage: 'endpoints delete <endpoint>',
    summary: 'Delete a webhook endpoint with what waits for it.',
    example: 'endpoints delete 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
    run: async ({ operator, print }, _options, id) => {
      await done(operator.DELETE('/operator/v1/webhook-endpoints/{id}', { params: { path: { id } } }));
      print.say('Deleted.');
    },
  }),
};

const EXAMPLE = '01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29';

export const webhookState = {
  testWebhookEndpoint: command({
    usage: 'endpoints test <endpoint>',
    summary: 'Send a body with one sample package.',
    example: `endpoints test ${EXAMPLE}`,
    run: async ({ operator, print }, _options, id) => {
      const call = operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params: { path: { id } } });
      const delivery = await bodyOf(call);
      print.record(delivery);
      print.say(`See what becomes of it: malote deliveries show ${delivery.webhook_id}`);
    },
  }),

  enableWebhookEndpoint: command({
    usage: 'endpoints enable <endpoint>',
    summary: 'Send again to a disabled endpoint, what waits included.',
    example: `endpoints enable ${EXAMPLE}`,
    run: async ({ operator, print }, _options, id) => {
      const call = operator.POST('/operator/v1/webhook-endpoints/{id}/enable', { params: { path: { id } } });
      print.record(await bodyOf(call));
    },
  }),

  disableWebhookEndpoint: command({
    usage: 'endpoints disable <endpoint>',
    summary: 'Send nothing to an endpoint until it is enabled.',
    example: `endpoints disable ${EXAMPLE}`,
    run: async ({ operator, print }, _options, id) => {
      const call = operator.POST('/operator/v1/webhook-endpoints/{id}/disable', { params: { path: { id } } });
      print.record(await bodyOf(call));
    },
  }),

  rotateSigningSecret: command({
    usage: 'endpoints rotate-secret <endpoint>',
    summary: 'Make a new signing secret; shows it, this once.',
    example: `endpoints rotate-secret ${EXAMPLE}`,
    run: async ({ operator, print }, _options, id) => {
      const call = operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', { params: { path: { id } } });
      print.record(await bodyOf(call));
      print.say('The signing secret is not shown again.');
    },
  }),

  rotateKeyPair: command({
    usage: 'endpoints rotate-key-pair <endpoint>',
    summary: 'Make a new key pair of signatures; shows the public key.',
    example: `endpoints rotate-key-pair ${EXAMPLE}`,
    run: async ({ operator, print }, _options, id) => {
      const call = operator.POST('/operator/v1/webhook-endpoints/{id}/key-pair-rotation', { params: { path: { id } } });
      print.record(await bodyOf(call));
    },
  }),
};
