import { once } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import { connect } from 'node:tls';
import { dialledHost } from '../../outbox/addresses.js';
import type { ReceiverToVerify } from '../../outbox/verification.js';
import { authorities } from '../http-client.js';

/** What a handshake showed. */
export interface Handshake {
  protocol: string;
  /** Node's code of what is wrong with the certificate. */
  fault: string | undefined;
  validTo: Date;
}

/**
 * Completes a handshake even where the worker would not, to say why it would not: with any protocol and any certificate. Rejects when there
 * is none in time.
 */
export async function handshake(
  { url, extraCa }: Pick<ReceiverToVerify, 'url' | 'extraCa'>,
  lookup: LookupFunction,
  withinMs: number,
): Promise<Handshake> {
  const address = new URL(url);
  const host = dialledHost(address);
  const lenient = { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0', rejectUnauthorized: false } as const;
  const name = isIP(host) === 0 ? { servername: host } : {};
  const ca = authorities(extraCa);
  const socket = connect({ host, port: Number(address.port || 443), lookup, ...name, ...(ca && { ca }), ...lenient });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(withinMs) });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const fault = socket.authorized ? undefined : String(socket.authorizationError);
  const validTo = new Date(socket.getPeerX509Certificate()?.validTo ?? 0);
  const protocol = socket.getProtocol() ?? 'unknown';
  socket.destroySoon();
  return { protocol, fault, validTo };
}
