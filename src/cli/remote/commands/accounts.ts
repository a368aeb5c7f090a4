import { operation, table } from '../operation.js';

export const accounts = {
  listPaymentMethods: operation('listPaymentMethods', 'payment-methods list <user>', {
    summary: 'List the payment methods of a user, oldest first.',
    show: table(['id', 'kind', 'label', 'created_at as since']),
  }),
  getPaymentMethod: operation('getPaymentMethod', 'payment-methods show <user> <payment-method>', {
    summary: 'Show a payment method of a user.',
  }),
  addPaymentMethod: operation('addPaymentMethod', 'payment-methods add <user>', {
    summary: 'Give a user another payment method.',
    example: "ana@example.com --kind credit_card --label 'Visa final 1234'",
    options: {
      kind: ['--kind <kind>', 'kind of payment'],
      label: ['--label <text>', 'what the user knows it by'],
    },
  }),
  confirmPhone: operation('confirmPhone', 'phones confirm <user>', {
    summary: "State that a user's phone is its own, so that the API key is given out.",
  }),
  rotateApiKey: operation('rotateApiKey', 'api-keys rotate <user>', {
    summary: "Void a user's API key; the user obtains the new one by signing in.",
  }),
  removeSecondFactor: operation('removeSecondFactor', 'users remove-second-factor <user>', {
    summary:
      'Remove the lost second factor of another operator, and end its sessions and tokens. It takes your own second factor.',
    example: 'rui@example.com',
    says: 'Removed.',
  }),
};
