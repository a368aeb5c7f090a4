import type { ComponentChildren, VNode } from 'preact';
import { isId } from '../../base/ids.js';
import { onlyOne } from '../../base/values.js';
import { Field } from '../design/forms.js';
import { Copy } from '../design/pieces.js';
import type { Parameters } from '../operations.js';
import { filled, packageTexts as texts } from '../texts.js';
import { asked, hrefWith, param, type RestSchemas, type Schemas, useVisit, type Visit } from '../visit.js';

// Shows the names of records instead of their ids.

export type Names = ReadonlyMap<string, Schemas['RecordName']>;

/** Maximum number of ids in one call of the operation. */
const AT_ONCE = 25;

export async function namesOf({ ask }: Visit, ids: Iterable<string | undefined>): Promise<Names> {
  const all = [...new Set([...ids].filter((id) => id !== undefined))];
  const parts = Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, at) =>
    all.slice(at * AT_ONCE, (at + 1) * AT_ONCE),
  );
  const answers = await Promise.all(
    parts.map((part) => ask('GET /operator/v1/names', { query: { ids: part.join(',') } })),
  );
  return new Map(answers.flatMap(({ data }) => data.map((each) => [each.id, each])));
}

/** The name of the record whose id is in the page's path. Empty if it has none. */
export async function ownName(visit: Visit): Promise<string> {
  const id = param(visit, 'id');
  return (await namesOf(visit, [id])).get(id)?.name ?? '';
}

const pages: Readonly<Record<string, string>> = {
  user: '/console/users/',
  order: '/console/orders/',
  package: '/console/packages/',
  webhook_endpoint: '/console/webhook-endpoints/',
};

/** The path of a record's page. Undefined for a kind of record without a page. */
export const pageOf = ({ kind, id }: { kind: string; id: string }): string | undefined =>
  pages[kind] && pages[kind] + id;

/** The name of a record as a link to its page; for a record without a page, a button that copies its id. */
export function Named({ id, names }: { id: string; names: Names }): ComponentChildren {
  const record = names.get(id);
  if (!record) return <Copy value={id} />;
  const page = pageOf(record);
  return page === undefined ? record.name : <a href={page}>{record.name}</a>;
}

// Operators name an account by its name or its e-mail address.

type User = RestSchemas['User'];

/** The account that filters a list, or that a form is about. */
export interface AccountFilter {
  /** Empty if no account is asked for. */
  id: string;
  /** A message that replaces the list. Set if the typed text does not name exactly one account. */
  instead?: VNode;
}

/** An id that no account has, so a list filtered by it is empty. */
const NOBODY = '00000000-0000-7000-8000-000000000000';

/** Reads the account filter: the text typed in `AccountField`, or the id in the parameter `name`. */
export async function accountFilter(visit: Visit, name: string): Promise<AccountFilter> {
  const [text, id] = [asked(visit, 'account'), asked(visit, name)];
  return text === '' ? { id: isId(id) ? id : '' } : accountNamed(visit, text);
}

/** Finds the one account that the text names. For several accounts it offers links that keep `fields` of the form. */
export async function accountNamed(visit: Visit, text: string, fields: Parameters = {}): Promise<AccountFilter> {
  const accounts = await accountsOf(visit, text);
  const only = onlyOne(accounts);
  return only ? { id: only.id } : { id: NOBODY, instead: <Accounts {...{ text, accounts, fields }} /> };
}

/** The account with this e-mail address, or else all with the text in name or address. Empty for an empty text. */
async function accountsOf({ ask }: Visit, text: string): Promise<readonly User[]> {
  const search = text.trim().slice(0, 100);
  if (search === '') return [];
  const { data } = await ask('GET /api/v1/users', { query: { search, page_size: 100 } });
  const exact = data.find(({ email }) => email.toLowerCase() === search.toLowerCase());
  return exact ? [exact] : data;
}

const MAX_OFFERED = 20;

/** Offers accounts to choose from. Each link keeps the rest of the filter. */
function Accounts({ text, accounts, fields }: { text: string; accounts: readonly User[]; fields: Parameters }) {
  const visit = useVisit();
  const sentence = visit.say(accounts.length === 0 ? texts.noAccount : texts.severalAccounts);
  return (
    <div class="notice" role="status">
      <p>{filled(sentence, { text })}</p>
      <ul>
        {accounts.slice(0, MAX_OFFERED).map(({ name, email }) => (
          <li>
            <a href={hrefWith(visit, { ...fields, account: email, page: '' })}>{name}</a> {email}
          </li>
        ))}
      </ul>
      {accounts.length > MAX_OFFERED && <p>{visit.say(texts.moreAccounts)}</p>}
    </div>
  );
}

/** Asks for an account. Give another `name` to the second of two such fields on a page. */
export const AccountField = ({ name = 'account', isRequired = false }: { name?: string; isRequired?: boolean }) => (
  <Field {...{ name, isRequired }} label={texts.accountEmail} value={asked(useVisit(), 'account')} maxLength={254} />
);
