import {
  command,
  oneOf,
  option,
  type PageOptions,
  pageOptions,
  pageQuery,
  required,
  wholeNumber,
} from '../../command.js';
import { bodyOf, done } from '../client.js';

const kinds = ['invoice', 'credit_card', 'pix'] as const;

export const accounts = {
  listPaymentMethods: command<PageOptions>({
    usage: 'payment-methods list <user>',
    summary: 'List the payment methods of a user, oldest first.',
    example: 'payment-methods list ana@example.com',
    options: pageOptions,
    run: async ({ operator, print }, options, user) => {
      const params = { path: { id: user }, query: pageQuery(options) };
      print.list(await bodyOf(operator.GET('/operator/v1/users/{id}/payment-methods', { params })), {
        id: (method) => method.id,
        kind: (method) => method.kind,
        label: (method) => method.label,
        since: (method) => method.created_at,
      });
    },
  }),

  getPaymentMethod: command({
    usage: 'payment-methods show <user> <payment-method>',
    summary: 'Show a payment method of a user.',
    example: 'payment-methods show ana@example.com 7',
    run: async ({ operator, print }, _options, user, method) => {
      const params = { path: { id: user, payment_method_id: wholeNumber(method) } };
      const call = operator.GET('/operator/v1/users/{id}/payment-methods/{payment_method_id}', { params });
      print.record(await bodyOf(call));
    },
  }),

  addPaymentMethod: command<{ kind: (typeof kinds)[number]; label: string }>({
    usage: 'payment-methods add <user>',
    summary: 'Give a user another payment method.',
    example: "payment-methods add ana@example.com --kind credit_card --label 'Visa final 1234'",
    options: [
      required(oneOf('--kind <kind>', 'kind of payment', kinds)),
      required(option('--label <text>', 'what the user knows it by')),
    ],
    run: async ({ operator, print }, body, user) => {
      const call = operator.POST('/operator/v1/users/{id}/payment-methods', { params: { path: { id: user } }, body });
      print.record(await bodyOf(call));
    },
  }),

  confirmPhone: command({
    usage: 'phones confirm <user>',
    summary: "State that a user's phone is its own, so that the API key is given out.",
    example: 'phones confirm ana@example.com',
    run: async ({ operator, print }, _options, user) => {
      const params = { path: { id: user } };
      print.record(await bodyOf(operator.POST('/operator/v1/users/{id}/phone-confirmation', { params })));
    },
  }),

  rotateApiKey: command({
    usage: 'api-keys rotate <user>',
    summary: "Void a user's API key; the user obtains the new one by signing in.",
    example: 'api-keys rotate ana@example.com',
    run: async ({ operator, print }, _options, user) => {
      const params = { path: { id: user } };
      print.record(await bodyOf(operator.POST('/operator/v1/users/{id}/api-key-rotation', { params })));
    },
  }),

  removeSecondFactor: command({
    usage: 'users remove-second-factor <user>',
    summary:
      'Remove the lost second factor of another operator, and end its sessions and tokens. It takes your own second factor.',
    example: 'users remove-second-factor rui@example.com',
    run: async ({ operator, print }, _options, user) => {
      await done(operator.DELETE('/operator/v1/users/{id}/second-factor', { params: { path: { id: user } } }));
      print.say('Removed.');
    },
  }),
};
