import { isIP } from 'node:net';
import { isText } from '../base/values.js';
import { type AddressRules, addressRefusal } from './addresses.js';

const LONGEST = 2048;

/** The host of a URL as it is dialled: an IP address without its brackets, or a name. */
export function dialledHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** What stands in the way of sending to the URL, before any name is resolved; undefined when nothing does. */
export function urlRefusal(rules: AddressRules, text: string): string | undefined {
  if (text.length > LONGEST) return `must have at most ${LONGEST} characters`;
  if (!isText(text) || /[\s\p{Cc}]/u.test(text)) return 'must not contain spaces or control characters';
  if (!URL.canParse(text)) return 'is not a URL';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'must begin with https://';
  if (url.username || url.password) return 'must not contain a user name or password';
  if (text.includes('#')) return 'must not contain a fragment';
  const port = url.port === '' ? 443 : Number(url.port);
  if (!rules.ports.includes(port)) return `must use one of the ports ${rules.ports.join(', ')}`;
  return hostRefusal(rules, dialledHost(url));
}

// RFC 6761 and RFC 8375 keep these names for the machine or the local network.
const LOCAL = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/i;

/** Names of the local network are refused only where no network was allowed: there they cannot lead anywhere. */
function hostRefusal(rules: AddressRules, host: string): string | undefined {
  if (isIP(host) !== 0) return addressRefusal(rules, host);
  if (rules.allowed.length === 0 && LOCAL.test(host)) return `${host} is a name of the local network`;
  if (host.endsWith('..') || host.length > 253) return `${host} is not a host name`;
  return undefined;
}
