/**
 * Two cells behind one HAProxy on this machine: npx tsx lab/cells/try.ts [--customers 20]. Needs `haproxy`. Two
 * databases, a process of the service on each, the same keys and SQL. Customers and operators of both sign in and send
 * requests through HAProxy alone. Prints what went where; ends with 1 when anything came to another cell than the
 * account's.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { orderBody } from '../../test/support/bodies.js';
import { type Answer, type Ask, accessToken, ask } from '../../test/support/http.js';
import { freePort } from '../../test/support/port.js';
import { startPostgres, type TemporaryPostgres } from '../../test/support/postgres.js';
import { type Child, fromSource, startChild } from '../../test/support/processes/child.js';
import { startProgram } from '../../test/support/processes/program.js';
import { serviceSettings } from '../../test/support/service.js';

const { values } = parseArgs({ options: { customers: { type: 'string', default: '20' } } });
const customersOfEach = Number(values.customers);
const PASSWORD = 'a password for the trial';

interface Cell {
  number: number;
  postgres: TemporaryPostgres;
  service: Child;
  operator: string;
}

interface Customer {
  cell: Cell;
  email: string;
}

const breaches: string[] = [];
const expected = (what: string, is: unknown, shouldBe: unknown): void => {
  if (is !== shouldBe) breaches.push(`${what}: ${String(is)} instead of ${String(shouldBe)}`);
};

const bodyOf = ({ status, text }: Answer) => {
  if (status >= 400) throw new Error(`answered ${status} ${text}`);
  return JSON.parse(text);
};

async function startCell(number: number, folder: string, publicUrl: string): Promise<Cell> {
  const postgres = await startPostgres();
  const operator = `operator-${number}@cells.test`;
  const service = await startChild(fromSource('api --no-sender'), {
    ...serviceSettings(postgres.url, folder),
    // The generated keys of one folder: the same in both cells.
    CELL: String(number),
    PUBLIC_URL: publicUrl,
    OPERATOR_EMAIL: operator,
    OPERATOR_PASSWORD: PASSWORD,
    RATE_LIMIT_PUBLIC_PER_HOUR: '0',
    TRUST_PROXY: '1',
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8',
  });
  return { number, postgres, service, operator };
}

/** The lines of HAProxy's directory for a cell, as docs/scale.md has the statement. */
const DIRECTORY = `
  select upper(encode(sha256(convert_to(lower(email), 'UTF8')), 'hex')) || ' ' || $1::integer as line
  from accounts where deleted_at is null`;

async function rowsOf<T extends pg.QueryResultRow>(
  { postgres }: Cell,
  text: string,
  parameters: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  const { rows } = await client.query<T>(text, parameters).finally(() => client.end());
  return rows;
}

interface Balancer {
  /** Tells the running HAProxy where a new account lives. */
  enter(email: string, cell: Cell): Promise<void>;
  stop(): Promise<void>;
}

/** Accounts are made by the cell's own operator, who is in the directory from the start. */
async function createCustomers(url: string, balancer: Balancer, cell: Cell): Promise<Customer[]> {
  const token = await accessToken(url, { email: cell.operator, password: PASSWORD });
  const customers: Customer[] = [];
  for (let at = 0; at < customersOfEach; at += 1) {
    const email = `Ana.${cell.number}.${at}@cells.test`;
    const user = { email, password: PASSWORD, name: 'Ana Souza', phone: '+5511912345678', role: 'customer' };
    const { id } = bodyOf(await ask(url, 'POST', '/api/v1/users', { token, body: user }));
    bodyOf(await ask(url, 'POST', `/operator/v1/users/${id}/phone-confirmation`, { token }));
    await balancer.enter(email, cell);
    customers.push({ cell, email });
  }
  return customers;
}

/** Everything that a customer sends, through HAProxy; the order's id. */
async function useAs(url: string, { cell, email }: Customer, at: number): Promise<string> {
  const token = await accessToken(url, { email: email.toLowerCase(), password: PASSWORD });
  const order = bodyOf(await ask(url, 'POST', '/api/v1/orders', { token, body: orderBody() }));
  const listed = bodyOf(await ask(url, 'GET', '/api/v1/orders', { token }));
  expected(`orders that ${email} sees`, listed.data[0]?.id, order.id);
  const { pathname } = new URL(order.packages[0].tracking_url);
  for (const path of [pathname, pathname.replace('/t/', '/api/v1/tracking/')]) {
    expected(`a package of ${email} at its tracking link`, (await ask(url, 'GET', path)).status, 200);
  }
  const selection = '{ user { apiKey } }';
  const literal = `mutation { login(input: { email: "${email}", password: "${PASSWORD}" }) ${selection} }`;
  const inVariables = {
    query: `mutation ($input: LoginInput!) { login(input: $input) ${selection} }`,
    variables: { input: { email, password: PASSWORD } },
  };
  const login = await ask(url, 'POST', '/graphql', { body: at % 2 === 0 ? { query: literal } : inVariables });
  const apiKey: string | undefined = bodyOf(login).data?.login.user?.apiKey;
  expected(`the GraphQL login of ${email}`, typeof apiKey, 'string');
  const headers = { Authorization: `ApiKey ${email}:${apiKey}` };
  const seen = bodyOf(
    await ask(url, 'POST', '/graphql', { headers, body: { query: `{ order(pk: "${order.id}") { pk } }` } }),
  );
  expected(`the order of ${email} by API key`, seen.data?.order?.pk, order.id);
  if (cell.number !== 0) expected('the end of an id', order.id.slice(-2), cell.number.toString(16).padStart(2, '0'));
  return order.id;
}

/** The public keys of an endpoint are found whichever cell it is of. */
async function findKeys(url: string, { operator, number }: Cell): Promise<void> {
  const token = await accessToken(url, { email: operator, password: PASSWORD });
  const { data } = bodyOf(await ask(url, 'GET', '/api/v1/users?role=customer', { token }));
  const body = { user_id: data[0].id, url: 'https://127.0.0.1:8443/hook', username: 'malote', password: PASSWORD };
  const { endpoint } = bodyOf(await ask(url, 'POST', '/operator/v1/webhook-endpoints', { token, body }));
  for (let time = 1; time <= 4; time += 1) {
    const answer = await ask(url, 'GET', `/.well-known/malote-webhook-keys/${endpoint.id}`);
    expected(`keys of an endpoint of cell ${number}, request ${time}`, answer.status, 200);
  }
}

/** Expects the other cell to refuse credentials of a cell that are sent there past HAProxy. */
async function refuseForeign(url: string, of: Cell, other: Cell): Promise<void> {
  const token = await accessToken(url, { email: of.operator, password: PASSWORD });
  const body = { name: `trial ${of.number}`, scope: 'all', current_password: PASSWORD };
  const { secret } = bodyOf(await ask(url, 'POST', '/operator/v1/operator-keys', { token, body }));
  const { total_items: packages } = bodyOf(
    await ask(url, 'GET', '/operator/v1/packages', { token: secret }),
  ).pagination;
  expected(`packages that the operator key of cell ${of.number} sees`, packages, customersOfEach);
  const sent: Record<string, Ask> = { token: { token }, 'operator key': { token: secret } };
  for (const [what, credentials] of Object.entries(sent)) {
    const { status } = await ask(other.service.url, 'GET', '/operator/v1/packages', credentials);
    expected(`a ${what} of cell ${of.number} in cell ${other.number}`, status, 401);
  }
}

async function startBalancer(folder: string, port: number, cells: readonly Cell[]): Promise<Balancer> {
  const directory = join(folder, 'accounts.map');
  const lines = await Promise.all(cells.map((cell) => rowsOf<{ line: string }>(cell, DIRECTORY, [cell.number])));
  await writeFile(
    directory,
    `${lines
      .flat()
      .map(({ line }) => line)
      .join('\n')}\n`,
  );
  const socket = join(folder, 'haproxy.sock');
  const addresses = cells.map(({ number, service }) => [`CELL_${number}`, new URL(service.url).host]);
  const env = {
    ...process.env,
    ...Object.fromEntries(addresses),
    CELLS_BIND: `127.0.0.1:${port}`,
    CELLS_SOCKET: socket,
    CELLS_DIRECTORY: directory,
  };
  const answers = async () => (await ask(`http://127.0.0.1:${port}`, 'GET', '/health')).status === 200;
  const program = await startProgram(['haproxy', '-f', 'deploy/cells/haproxy.cfg'], { env }, answers);
  const enter = async (email: string, { number }: Cell) => {
    const hash = createHash('sha256').update(email.toLowerCase()).digest('hex').toUpperCase();
    const link = connect(socket).end(`add map ${directory} ${hash} ${number}\n`);
    await once(link.resume(), 'close');
  };
  return { enter, stop: () => program.signal('SIGTERM') };
}

async function countOrders(cell: Cell): Promise<number> {
  const [row] = await rowsOf<{ orders: number }>(cell, 'select count(*)::integer as orders from orders');
  return row?.orders ?? 0;
}

async function trackingCodes(cell: Cell): Promise<string[]> {
  const rows = await rowsOf<{ code: string }>(cell, 'select tracking_code as code from packages');
  return rows.map(({ code }) => code);
}

async function tryCells(url: string, balancer: Balancer, cells: readonly [Cell, Cell]): Promise<void> {
  const customers = (await Promise.all(cells.map((cell) => createCustomers(url, balancer, cell)))).flat();
  const ids: string[] = [];
  for (const [at, customer] of customers.entries()) ids.push(await useAs(url, customer, at));
  expected('distinct orders', new Set(ids).size, customers.length);
  for (const cell of cells) expected(`orders in cell ${cell.number}`, await countOrders(cell), customersOfEach);
  const codes = (await Promise.all(cells.map(trackingCodes))).flat();
  expected('distinct tracking codes', new Set(codes).size, customers.length);
  await refuseForeign(url, cells[0], cells[1]);
  await refuseForeign(url, cells[1], cells[0]);
  for (const cell of cells) await findKeys(url, cell);
  const stranger = { email: 'nobody@cells.test', password: PASSWORD };
  expected('a stranger', (await ask(url, 'POST', '/auth/login', { body: stranger })).status, 401);
  const counts = await Promise.all(cells.map(async (cell) => `cell ${cell.number}: ${await countOrders(cell)} orders`));
  console.log(
    `${customers.length} customers through one HAProxy; ${counts.join(', ')}; ${breaches.length} in the wrong cell`,
  );
}

const folder = await mkdtemp(join(tmpdir(), 'malote-cells-'));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const first = await startCell(0, folder, url);
const second = await startCell(7, folder, url);
const balancer = await startBalancer(folder, port, [first, second]);
try {
  await tryCells(url, balancer, [first, second]);
} finally {
  await balancer.stop();
  for (const { service, postgres } of [first, second]) {
    await service.signal('SIGTERM');
    await postgres.stop();
  }
  await rm(folder, { recursive: true, force: true });
}
for (const breach of breaches) console.log(breach);
process.exitCode = breaches.length > 0 ? 1 : 0;
