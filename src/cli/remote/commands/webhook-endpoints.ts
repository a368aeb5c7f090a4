import { command, option, passwordStdin, required, whole } from '../../command.js';
import { readSecret } from '../../terminal.js';
import { operation, table } from '../operation.js';

const EXAMPLE = '01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29';

const lanes = whole('--lanes <number>', 'bodies that may be on their way at once, up to 16');

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
    },
    run: async ({ call, terminal, print }, { user, passwordStdin: fromStdin = false, ...settings }, url) => {
      const password = await readSecret(terminal, 'Password of HTTP Basic', fromStdin);
      print.record(await call('createWebhookEndpoint', { body: { ...settings, user_id: user, url, password } }));
      print.say('The signing secret is not shown again.');
    },
  }),
  listWebhookEndpoints: operation('listWebhookEndpoints', 'endpoints list', {
    summary: 'List webhook endpoints, newest first.',
    example: '--state disabled',
    options: {
      user_id: ['--user <user>', 'only endpoints of this user'],
      state: ['--state <state>', 'only endpoints in this state'],
      trouble: ['--trouble', 'only endpoints that are failing or disabled, or have dead letters'],
    },
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
    summary: 'Change the address, the user name, the password or the lanes; what is left out stays.',
    example: `${EXAMPLE} --address https://hooks.example.com/v2 --lanes 4`,
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
    summary: 'Delete a webhook endpoint with what waits for it.',
    says: 'Deleted.',
  }),
  testWebhookEndpoint: operation('testWebhookEndpoint', 'endpoints test <endpoint>', {
    summary: 'Send a body with one sample package.',
    says: (delivery) => `See what becomes of it: malote deliveries show ${delivery.webhook_id}`,
  }),
  enableWebhookEndpoint: operation('enableWebhookEndpoint', 'endpoints enable <endpoint>', {
    summary: 'Send again to a disabled endpoint, what waits included.',
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
};
