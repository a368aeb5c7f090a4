import ipaddr from 'ipaddr.js';

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Where webhooks may go (contracts/guides/behaviour.md#webhook). */
export interface AddressRules {
  /** Networks that are allowed although the rules would refuse them. */
  readonly allowed: readonly Network[];
  readonly ports: readonly number[];
}

/** `allowCidrs` holds networks (`10.0.0.0/8`) or single addresses. Throws for anything else. */
export function addressRules(allowCidrs: readonly string[], ports: readonly number[]): AddressRules {
  return { allowed: allowCidrs.map(parseNetwork), ports };
}

/** Why a request may not go to the IP address; undefined when it may. `address` is what is dialled, not a name. */
export function addressRefusal({ allowed }: AddressRules, address: string): string | undefined {
  if (!ipaddr.isValid(address)) return `${address} is not an IP address`;
  const ip = ipaddr.parse(address);
  if (allowed.some((network) => matches(ip, network))) return undefined;
  const range = rangeOf(ip);
  return range === 'unicast' ? undefined : `${address} is not a public address (${names[range] ?? range})`;
}

const names: Record<string, string> = {
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

// What ipaddr.js takes for public and is not: IPv4-compatible IPv6 and the hosts' own service of one cloud.
const further: readonly [string, Network][] = [
  ['ipv4Compatible', ipaddr.parseCIDR('::/96')],
  ['metadata', ipaddr.parseCIDR('168.63.129.16/32')],
];

function rangeOf(ip: ipaddr.IPv4 | ipaddr.IPv6): string {
  const range: string = ip.range();
  if (range !== 'unicast') return range;
  if (isIsatap(ip)) return 'isatap';
  // Only this part of IPv6 has been given out; the rest reaches nothing on the Internet.
  if (ip.kind() === 'ipv6' && !matches(ip, ipaddr.parseCIDR('2000::/3')))
    return further.find(holds(ip))?.[0] ?? 'reserved';
  return further.find(holds(ip))?.[0] ?? range;
}

const holds =
  (ip: ipaddr.IPv4 | ipaddr.IPv6) =>
  ([, network]: readonly [string, Network]) =>
    matches(ip, network);

/** An interface identifier 0000:5efe or 0200:5efe carries an IPv4 address to tunnel to (RFC 5214). */
function isIsatap(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return ip instanceof ipaddr.IPv6 && [0, 0x200].includes(ip.parts[4] ?? -1) && ip.parts[5] === 0x5efe;
}

function matches(ip: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Network): boolean {
  return ip.kind() === network.kind() && ip.match(network, bits);
}

function parseNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text);
  const ip = ipaddr.parse(text);
  return [ip, ip.kind() === 'ipv4' ? 32 : 128];
}
