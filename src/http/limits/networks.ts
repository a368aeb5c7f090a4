import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

const IPV6_SUBNET = 64;
/** Prefix length of the IPv6 network that one subscriber may have: 65,536 networks of 64 bits. */
const IPV6_SITE = 48;

/** The network of the client: an IPv6 /64, or the IPv4 address itself. */
export const byIp = (req: Request): string => ipKeyGenerator(req.ip ?? '', IPV6_SUBNET);
/** The network that one subscriber may have: an IPv6 /48, or the IPv4 address itself. */
export const bySite = (req: Request): string => ipKeyGenerator(req.ip ?? '', IPV6_SITE);
