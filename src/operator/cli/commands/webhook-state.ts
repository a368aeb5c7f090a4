import { bodyOf } from '../answers.js';
import { command } from '../command.js';

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
};
