import type { Request } from 'express';
import { ipKeyGenerator } from 'express-rate-limit';

const IPV6_SUBNET = 64;
/** The network of one subscriber of IPv6: 65,536 networks of 64 bits. */
const IPV6_SITE = 48;

/** The client's network: an IPv6 /64. For IPv4 it is the address. */
export const byIp = (req: Request): string => ipKeyGenerator(req.ip ?? '', IPV6_SUBNET);
/** The network of the client's networks: an IPv6 /48. For IPv4 it is the address. */
export const bySite = (req: Request): string => ipKeyGenerator(req.ip ?? '', IPV6_SITE);
