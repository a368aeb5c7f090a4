import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DetailCode, type FieldError, invalid } from '../base/errors.js';
import { isText } from '../base/values.js';
import { type AddressRules, addressRefusal, dialledHost, urlRefusal } from './addresses.js';

export interface DestinationRules {
  addresses: AddressRules;
  resolve: Resolve;
}

export interface DestinationInput {
  url: string;
  username: string;
  /** Without a password, an existing endpoint keeps its own. */
  password?: string;
}

export type Destination = Omit<DestinationInput, 'url'> & { url: URL };

/**
 * Checks address and credentials. Throws VALIDATION_ERROR. Call it outside transactions, because a name server may take
 * seconds.
 */
export async function checkDestination(rules: DestinationRules, input: DestinationInput): Promise<Destination> {
  const errors = [
    ...errorOf(
      'url',
      'unreachable',
      urlRefusal(rules.addresses, input.url) ?? (await resolvedRefusal(rules, new URL(input.url))),
    ),
    ...errorOf(
      'username',
      'pattern',
      input.username.includes(':') ? 'must not contain a colon' : textRefusal(input.username),
    ),
    ...errorOf('password', 'pattern', input.password === undefined ? undefined : textRefusal(input.password)),
  ];
  if (errors.length > 0) throw invalid(errors);
  return { ...input, url: new URL(input.url) };
}

/** Refuses a name that does not exist. A name whose server does not answer now is not refused. */
async function resolvedRefusal({ addresses: rules, resolve }: DestinationRules, url: URL): Promise<string | undefined> {
  const host = dialledHost(url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await resolve(host);
  if (addresses === 'unknown') return undefined;
  if (addresses.length === 0) return `the name ${host} does not exist`;
  return addresses.map((address) => addressRefusal(rules, address)).find((refusal) => refusal !== undefined);
}

/**
 * Checks a user name or password. Both travel as `name:password` (RFC 7617), where control characters are not possible.
 */
function textRefusal(text: string): string | undefined {
  if (text.length < 1 || text.length > 255) return 'must have 1 to 255 characters';
  return isText(text) && !/\p{Cc}/u.test(text) ? undefined : 'must not contain control characters';
}

const errorOf = (field: string, code: DetailCode, message: string | undefined): FieldError[] =>
  message === undefined ? [] : [{ field, code, message }];

/** Resolves a name. A name that does not exist has no addresses. `'unknown'` means that no answer came. */
export type Resolve = (host: string) => Promise<readonly string[] | 'unknown'>;

const PATIENCE_MS = 3_000;

/** Asks the system's resolver and waits for at most 3 s. */
export const resolveName: Resolve = (host) =>
  Promise.race([addressesOf(host), sleep(PATIENCE_MS, 'unknown' as const, { ref: false })]);

async function addressesOf(host: string): Promise<readonly string[] | 'unknown'> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND' ? [] : 'unknown';
  }
}
