import type { OperationId } from '../../../../generated/operator.routes.js';
import type { Mount } from '../command.js';
import { completion } from '../completion.js';
import { doctor } from '../doctor/command.js';
import { listen } from '../listen/command.js';
import { mcp } from '../mcp/command.js';
import { movements } from '../movements/command.js';
import { verifyReceiver } from '../verify-receiver.js';
import { accounts } from './accounts.js';
import { auditLog } from './audit-log.js';
import { deliveries, deliveryList } from './deliveries.js';
import { erasure } from './erasure.js';
import { erasureRecord } from './erasure-record.js';
import { figures } from './figures.js';
import { labels } from './labels.js';
import { keys, operators } from './local.js';
import { migration, partition } from './migration.js';
import { operatorKeys } from './operator-keys.js';
import { orders } from './orders.js';
import { packageStatuses } from './package-statuses.js';
import { packages } from './packages.js';
import { proofs } from './proofs.js';
import { rateCards } from './rate-cards.js';
import { logout, signIns } from './sign-in.js';
import { simulate } from './simulate.js';
import { tasks } from './tasks.js';
import { operatorAccounts, users } from './users.js';
import { webhookEndpoints, webhookState } from './webhook-endpoints.js';

/** One command for each operation of the contract: one that is missing does not compile. */
const operations = {
  ...signIns,
  ...movements,
  ...packages,
  ...proofs,
  ...figures,
  ...packageStatuses,
  ...rateCards,
  ...accounts,
  ...webhookEndpoints,
  ...webhookState,
  ...deliveries,
  ...operatorKeys,
  ...auditLog,
  ...erasure,
  ...tasks,
} satisfies { [Id in OperationId]: Mount };

const { signIn: _login, ...others } = operations;

/** What the groups of commands are about. */
export const groups: Readonly<Record<string, string>> = {
  operators: 'Accounts of operators.',
  orders: 'Orders of all users.',
  keys: "Keys that the database's secrets are sealed with, beside that database.",
  users: 'Accounts that sign in.',
  movements: 'Facts about packages.',
  packages: 'Packages of all users.',
  figures: 'What is under way, and how the last days went.',
  statuses: 'The catalogue of package statuses.',
  rates: 'What orders are priced by.',
  'payment-methods': 'How users pay.',
  phones: 'Confirmation of phones.',
  'api-keys': 'API keys of the GraphQL interface.',
  endpoints: 'Where tracking updates go.',
  deliveries: 'Bodies sent to webhook endpoints.',
  'second-factor': 'Your own second factor.',
  'operator-keys': "Keys for the operator's machines.",
  'audit-log': 'What operators and their keys did.',
  recipients: 'Personal data of recipients.',
  erasures: 'The record of what was erased.',
  tasks: 'What waits for a person.',
};

export const commands: readonly Mount[] = [
  signIns.signIn,
  logout,
  simulate,
  listen,
  mcp,
  labels,
  migration,
  doctor,
  verifyReceiver,
  partition,
  completion,
  deliveryList,
  ...Object.values(operatorAccounts),
  ...Object.values(operators),
  ...Object.values(keys),
  ...Object.values(users),
  ...Object.values(orders),
  ...Object.values(others),
  ...Object.values(erasureRecord),
];
