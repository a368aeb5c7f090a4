import ipaddr from 'ipaddr.js';

const SUBNET_BITS = 64;

/** What counts as one address: IPv4 whole, IPv6 by its /64, which one customer usually has alone. Undefined for what is no address. */
export function networkOf(ip: string): string | undefined {
  const [bare = ''] = ip.split('%');
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.kind() === 'ipv4') return address.toString();
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toNormalizedString()}/${SUBNET_BITS}`).toString()}/${SUBNET_BITS}`;
}
