import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isText } from '../base/values.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** The addresses that webhooks may be sent to (contracts/guides/webhook.md#set-it-up). */
export interface AddressRules {
  readonly allowed: readonly Network[];
  readonly ports: readonly number[];
}

/** Makes the rules. `allowCidrs` has networks (`10.0.0.0/8`) or single addresses. Throws for anything else. */
export const addressRules = (allowCidrs: readonly string[], ports: readonly number[]): AddressRules => ({
  allowed: allowCidrs.map(parseNetwork),
  ports,
});

/** The reason why requests must not go to this IP address. Undefined if they may. */
export function addressRefusal({ allowed }: AddressRules, address: string): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is not an IP address`;
  const ip = ipaddr.parse(address);
  if (allowed.some((network) => matches(ip, network))) return undefined;
  const range = rangeOf(ip);
  return range === 'unicast' ? undefined : `${address} is not a public address (${rangeNames[range] ?? range})`;
}

const rangeNames: Record<string, string> = {
  carrierGradeNat: 'carrier-grade NAT',
  ipv4Mapped: 'IPv4 inside IPv6',
  ipv4Compatible: 'IPv4 inside IPv6',
  rfc6145: 'IPv4 inside IPv6',
  rfc6052: 'IPv4 inside IPv6',
  '6to4': 'IPv4 inside IPv6',
  teredo: 'IPv4 inside IPv6',
  isatap: 'IPv4 inside IPv6',
  linkLocal: 'link-local',
  uniqueLocal: 'private',
  deprecatedSiteLocal: 'private',
  metadata: 'metadata of a cloud',
};

// Ranges that ipaddr.js wrongly takes for public: IPv4-compatible IPv6, and the metadata address of a cloud.
const furtherRanges: readonly [string, Network][] = [
  ['ipv4Compatible', ipaddr.parseCIDR('::/96')],
  ['metadata', ipaddr.parseCIDR('168.63.129.16/32')],
];

function rangeOf(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range: string = ip.range();
  if (range !== 'unicast') return range;
  if (isIsatap(ip)) return 'isatap';
  const furtherRange = furtherRanges.find(([, network]) => matches(ip, network))?.[0];
  // Only this part of IPv6 is allocated.
  const isAllocated = ip.kind() === 'ipv4' || matches(ip, ipaddr.parseCIDR('2000::/3'));
  return furtherRange ?? (isAllocated ? range : 'reserved');
}

/**
 * True if the address contains an IPv4 address to tunnel to: interface identifier 0000:5efe or 0200:5efe (RFC 5214).
 */
const isIsatap = (ip: ipaddr.IPv4 | ipaddr.IPv6): boolean =>
  ip instanceof ipaddr.IPv6 && [0, 0x200].includes(ip.parts[4] ?? -1) && ip.parts[5] === 0x5efe;

const matches = (ip: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean =>
  ip.kind() === network.kind() && ip.match(network, bits);

function parseNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const ip = ipaddr.parse(text);
  return [ip, ip.kind() === 'ipv4' ? 32 : 128];
}

const MAX_URL_LENGTH = 2048;

/** The host of a URL as the connection needs it: a name, or an IP address without brackets. */
export const dialledHost = (url: URL): string => url.hostname.replace(/^\[|\]$/g, '');

/** The reason why requests must not go to this URL, before its name is resolved. Undefined if they may. */
export function urlRefusal(rules: AddressRules, text: string): string | undefined {
  if (text.length > MAX_URL_LENGTH) return `must have at most ${MAX_URL_LENGTH} characters`;
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

// RFC 6761 and RFC 8375 reserve these names for the machine or the local network.
const LOCAL_NAME = /(^|\.)(localhost|local|internal|home\.arpa|localdomain)\.?$/i;

/** The reason why a host is refused. Local names are refused unless some network was allowed. */
function hostRefusal(rules: AddressRules, host: string): string | undefined {
  if (isIP(host) !== 0) return addressRefusal(rules, host);
  if (rules.allowed.length === 0 && LOCAL_NAME.test(host)) return `${host} is a name of the local network`;
  if (host.endsWith('..') || host.length > 253) return `${host} is not a host name`;
  return undefined;
}
