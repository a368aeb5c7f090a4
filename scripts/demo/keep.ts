import { ask, type Clients, type Login, must, signedIn } from '../../test/support/http.js';
import type { Service } from './service.js';

/** For people who look around in a running demo. */

const statusesWorthASight = [1, 17, 11, 18, 6, 10, 9, 5];

/** Prints addresses, sign-ins, those of `logins` too, and packages; of pages those that the service has. */
export async function sayWhereToLook(
  { url, operator, pid }: Service,
  customer: Login,
  say: (line: string) => void,
  logins: readonly string[],
): Promise<void> {
  const { email, password } = operator;
  const pages = [
    ['start page', '/'],
    ['operator console', '/console'],
    ['guide', '/docs/guide/'],
    ['API explorer', '/docs'],
    ['GraphQL explorer', '/graphql'],
  ] as const;
  say(`\nMalote goes on at ${url}`);
  for (const [what, path] of pages) if (await isThere(`${url}${path}`)) say(`  ${what.padEnd(18)}${url}${path}`);
  say(`  ${'operator'.padEnd(18)}${email}, password: ${password}`);
  say(`  ${'for requests'.padEnd(18)}URL=${url} EMAIL=${customer.email} PASSWORD='${customer.password}'`);
  say(`  ${'command line'.padEnd(18)}OPERATOR_PASSWORD='${password}' npm run --silent cli -- --url ${url} orders list`);
  for (const line of logins) say(line);
  for (const line of await packageLines(await signedIn(url, operator))) say(line);
  if (pid !== undefined) say(`\nCtrl-C ends it and removes its data; from another shell: kill ${process.pid}`);
}

const isThere = async (address: string): Promise<boolean> =>
  (await ask(address, 'GET', '', { headers: { Accept: 'text/html' } })).status < 400;

/** One package of each status that is worth a sight: not the newest, which the demo has moved within a second. */
async function packageLines({ operator }: Clients): Promise<string[]> {
  const lists = statusesWorthASight.map(async (status_code) =>
    must(await operator.GET('/operator/v1/packages', { params: { query: { status_code, page_size: 10 } } })),
  );
  return (await Promise.all(lists))
    .flatMap(({ data }) => data.at(-1) ?? [])
    .map(({ status, tracking_url }) => `  ${status.high_level_status.padEnd(24)}${tracking_url}`);
}
