import type { OperationId } from '../../generated/operator.routes.js';
import type { Mount } from './command.js';
import { completion } from './completion.js';
import { doctor } from './doctor/command.js';
import { listen } from './local/listen/command.js';
import { changes, keys, migration, operators } from './local/maintenance.js';
import { simulate } from './local/simulate.js';
import { verifyReceiver } from './local/verify-receiver.js';
import { mcp } from './mcp/command.js';
import { calendars } from './remote/commands/calendars.js';
import { collections } from './remote/commands/collections.js';
import { erasure, erasureRecord } from './remote/commands/erasure.js';
import { labels } from './remote/commands/labels.js';
import { members } from './remote/commands/members.js';
import { movements } from './remote/commands/movements.js';
import { operatorKeys } from './remote/commands/operator-keys.js';
import { orders } from './remote/commands/orders.js';
import { packages } from './remote/commands/packages.js';
import { proofs } from './remote/commands/proofs.js';
import { rateCards } from './remote/commands/rate-cards.js';
import { serviceAreas } from './remote/commands/service-areas.js';
import { logout, signIns } from './remote/commands/sign-in.js';
import { statements } from './remote/commands/statements.js';
import { operatorAccounts, users } from './remote/commands/users.js';
import { deliveryList, webhookEndpoints } from './remote/commands/webhook-endpoints.js';
import type { CliProgram } from './run.js';

/** One command for each operation of the operator's contract. A missing command does not compile. */
const operations = {
  ...users,
  ...members,
  ...orders,
  ...collections,
  ...signIns,
  ...movements,
  ...packages,
  ...proofs,
  ...rateCards,
  ...statements,
  ...serviceAreas,
  ...calendars,
  ...webhookEndpoints,
  ...operatorKeys,
  ...erasure,
} satisfies { [Id in OperationId]: Mount };

const { signIn: _login, ...others } = operations;

const groups: Readonly<Record<string, string>> = {
  operators: 'Accounts of operators.',
  orders: 'Orders of all users.',
  collections: 'Lists of packages that users hand over together.',
  names: 'Names of records.',
  changes: "The numbers of changes, beside the service's database.",
  keys: "Keys that the database's secrets are sealed with, beside that database.",
  users: 'Accounts that sign in.',
  members: 'People who sign in for an account.',
  movements: 'Facts about packages.',
  packages: 'Packages of all users.',
  figures: 'Counts of packages under way, and results of the last days.',
  statuses: 'The catalogue of package statuses.',
  rates: 'What orders are priced by.',
  statements: 'What orders cost, month by month.',
  areas: 'Where the carrier collects and delivers.',
  calendars: 'When the carrier works, and its days off.',
  'payment-methods': 'How users pay.',
  'fiscal-rules': 'Whether packages of a user need a fiscal document.',
  phones: 'Confirmation of phones.',
  'api-keys': 'API keys of users.',
  endpoints: 'Where tracking updates go.',
  deliveries: 'Bodies sent to webhook endpoints.',
  'second-factor': 'Your own second factor.',
  'operator-keys': "Keys for the operator's machines.",
  'audit-log': 'What operators and their keys did.',
  recipients: 'Personal data of recipients.',
  erasures: 'The record of erasures.',
  tasks: 'Work that waits for an operator.',
};

const commands: readonly Mount[] = [
  signIns.signIn,
  logout,
  simulate,
  listen,
  mcp,
  labels,
  migration,
  doctor,
  verifyReceiver,
  completion,
  deliveryList,
  ...Object.values(operatorAccounts),
  ...Object.values(operators),
  ...Object.values(changes),
  ...Object.values(keys),
  ...Object.values(others),
  ...Object.values(erasureRecord),
];

const DESCRIPTION = `The operator's commands of Malote.

Signs in with the API key of MALOTE_CLIENT_ID and MALOTE_CLIENT_SECRET, or with MALOTE_EMAIL and MALOTE_PASSWORD, from the environment or .env, else with OPERATOR_EMAIL and OPERATOR_PASSWORD, or with
the token that "malote login" stored.
An operator who has a second factor is asked for its code; MALOTE_CODE holds it where there is no terminal.
OPERATOR_KEY is used instead wherever an operator key is enough.
A user may be named by its e-mail address, a package by its tracking code or barcode, an order by its external id or a package's
tracking code. "malote completion" makes a shell complete commands and options.
Exit codes: 0 success, 1 refused by the service, 2 wrong usage, 3 service not reachable.`;

export const operatorCommands: CliProgram = { name: 'malote', description: DESCRIPTION, commands, groups };
