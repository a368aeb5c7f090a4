import { isIP } from 'node:net';
import { type FieldError, invalid } from '../base/errors.js';
import { isText } from '../base/values.js';
import { type AddressRules, addressRefusal } from './addresses.js';
import type { Resolve } from './resolve.js';
import { dialledHost, urlRefusal } from './url.js';

export interface DestinationRules {
  addresses: AddressRules;
  resolve: Resolve;
}

export interface DestinationInput {
  url: string;
  username: string;
  /** Left out, an endpoint keeps the one that it has. */
  password?: string;
}

/** A destination that `checkDestination` found fit. */
export interface Destination {
  url: URL;
  username: string;
  password?: string;
}

/**
 * Checks address and credentials, resolving the name. Throws VALIDATION_ERROR naming each wrong field with its reason.
 * Call it outside any transaction: a name server may take seconds. What is dialled is checked again at each connection.
 */
export async function checkDestination(rules: DestinationRules, input: DestinationInput): Promise<Destination> {
  const faults = [
    ...faultOf('url', urlRefusal(rules.addresses, input.url) ?? (await resolvedRefusal(rules, new URL(input.url)))),
    ...faultOf('username', input.username.includes(':') ? 'must not contain a colon' : textRefusal(input.username)),
    ...faultOf('password', input.password === undefined ? undefined : textRefusal(input.password)),
  ];
  if (faults.length > 0) throw invalid(faults);
  return { ...input, url: new URL(input.url) };
}

/** A name that does not exist cannot work; a name server that does not answer now says nothing about the name. */
async function resolvedRefusal({ addresses, resolve }: DestinationRules, url: URL): Promise<string | undefined> {
  const host = dialledHost(url);
  if (isIP(host) !== 0) return undefined;
  const found = await resolve(host);
  if (found === 'unknown') return undefined;
  if (found.length === 0) return `the name ${host} does not exist`;
  return found.map((address) => addressRefusal(addresses, address)).find((refusal) => refusal !== undefined);
}

/** User name and password travel as `name:password` (RFC 7617), which control characters would break. */
function textRefusal(text: string): string | undefined {
  if (text.length < 1 || text.length > 255) return 'must have 1 to 255 characters';
  return isText(text) && !/\p{Cc}/u.test(text) ? undefined : 'must not contain control characters';
}

function faultOf(field: string, message: string | undefined): FieldError[] {
  return message === undefined ? [] : [{ field, message }];
}
