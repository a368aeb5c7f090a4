import { isId } from '../../base/ids.js';
import { CommandError, wrongUsage } from '../errors.js';
import type { Client } from './client.js';

/** Finds the id of a record by a name that a person uses, with one request. Throws CommandError. */
type LookUp = (client: Client, text: string) => Promise<string>;

/** Look-ups by the words in usages and flags, for example `<user>`. */
export const lookUps: Readonly<Record<string, LookUp>> = {
  user: async (client, text) => (isId(text) ? text : oneUser(text, await usersOf(client, emailIn(text)))),
  'deleted-user': async (client, text) =>
    isId(text) ? text : oneUser(text, await deletedUsersOf(client, emailIn(text))),
  'user-or-deleted': async (client, text) => {
    if (isId(text)) return text;
    const email = emailIn(text);
    return oneUser(text, [...(await usersOf(client, email)), ...(await deletedUsersOf(client, email))]);
  },
  package: packageKey,
  order: orderId,
};

// The maximum page size of the contracts, and the maximum length of a search.
const MOST = 100;
const mostOf = { page_size: MOST };

function emailIn(text: string): string {
  if (text.includes('@')) return text;
  throw wrongUsage(`"${text}" is neither the id nor the e-mail address of a user. See "malote users list".`);
}

function oneUser(email: string, ids: readonly string[]): string {
  const several = (list: string) =>
    `Several users have or had the e-mail address ${email}. Name one by its id: ${list}.`;
  return onlyOne(ids, `No user has the e-mail address ${email}. See "malote users list".`, several);
}

async function usersOf({ call }: Client, email: string): Promise<string[]> {
  const search = [...email].slice(0, MOST).join('');
  const { data, pagination } = await call('listUsers', { query: { ...mostOf, search } });
  const ids = idsWith(email, data);
  if (ids.length > 0 || pagination.total_pages <= 1) return ids;
  throw new CommandError(`Too many e-mail addresses contain ${email}: name the user by its id.`, 1);
}

async function deletedUsersOf({ call }: Client, email: string): Promise<string[]> {
  return idsWith(email, (await call('listDeletedUsers', { query: { ...mostOf, email } })).data);
}

const idsWith = (email: string, users: readonly { id: string; email: string }[]): string[] =>
  users.filter((user) => user.email.toLowerCase() === email.toLowerCase()).map(({ id }) => id);

function onlyOne(ids: readonly string[], none: string, several: (list: string) => string): string {
  const [id, ...others] = ids;
  if (id === undefined) throw new CommandError(none, 1);
  if (others.length > 0) throw wrongUsage(several(ids.join(', ')));
  return id;
}

/** Matches a tracking code. In versions before 1.3, its last character was one of 37. */
const TRACKING_CODE = /^[0-9A-HJKMNP-TV-Z]{11}[0-9A-Z*~$=]$/;
const BARCODE = /^\d{18}$/;

/** Converts a code to its stored form. Labels show it in groups, and people type small letters. */
const codeIn = (text: string): string => text.replace(/[\s-]/g, '').toUpperCase();

/** The filter for the package with this code. Undefined if the text is not a code. */
export function codeFilter(text: string): { barcode: string } | { tracking_code: string } | undefined {
  const code = codeIn(text);
  if (BARCODE.test(code)) return { barcode: code };
  return TRACKING_CODE.test(code) ? { tracking_code: code } : undefined;
}

async function packageKey({ call }: Client, text: string): Promise<string> {
  if (isId(text)) return text;
  const filter = codeFilter(text);
  if (!filter) {
    const names = 'loggi key, its tracking code (12 characters) or its barcode (18 digits)';
    throw wrongUsage(`"${text}" names no package: give its ${names}.`);
  }
  const { data } = await call('listPackages', { query: filter });
  const several = (list: string) => `Several packages have this code. Name one by its loggi key: ${list}.`;
  const keys = data.map(({ loggi_key }) => loggi_key);
  return onlyOne(keys, `No package has the code ${codeIn(text)}: check it for a mistake in typing.`, several);
}

/**
 * Matches ids of orders, which are UUIDs of version 7. A UUID of another version can only be a customer's own number.
 */
const ORDER_ID = /^[\da-f]{8}-[\da-f]{4}-7/i;

async function orderId({ call }: Client, text: string): Promise<string> {
  if (isId(text) && ORDER_ID.test(text)) return text;
  const idsBy = async (query: { external_id: string } | { tracking_code: string }) =>
    (await call('listOrders', { query: { ...mostOf, ...query } })).data;
  const code = codeIn(text);
  const carrying = TRACKING_CODE.test(code) ? await idsBy({ tracking_code: code }) : [];
  const orders = carrying.length > 0 ? carrying : await idsBy({ external_id: text });
  const several = () => {
    const each = orders.map(({ id, user_id }) => `${id} of user ${user_id}`).join(', ');
    return `Orders of several users have the external id ${text}. Name one by its id: ${each}.`;
  };
  const none = `No order has the external id ${text}, or a package of that tracking code. See "malote orders list".`;
  return onlyOne(
    orders.map(({ id }) => id),
    none,
    several,
  );
}
