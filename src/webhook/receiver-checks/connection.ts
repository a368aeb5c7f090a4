import { urlRefusal } from '../../outbox/addresses.js';
import type { Finding } from '../../outbox/verification.js';
import type { Check, Handshake } from './trial.js';

// Ports that a service sends to unless its operator allows others.
const USUAL_PORTS = new Set(['', '443', '8443']);

export const connectionChecks: Readonly<Record<string, Check>> = {
  address: {
    means: 'the address is one that the service sends to',
    run: async ({ receiver: { addresses, url } }) => {
      const refusal = urlRefusal(addresses, url);
      if (refusal !== undefined) {
        const advice =
          'Use an https:// address on the public internet. On a machine of yours, allow its network by --allow-private.';
        return { result: 'failed', seen: `the URL ${refusal}`, advice };
      }
      const { port, origin } = new URL(url);
      if (USUAL_PORTS.has(port)) return { result: 'passed', seen: origin };
      return { result: 'warning', seen: origin, advice: 'Ask the carrier whether it sends to ports but 443 and 8443.' };
    },
  },

  tls: {
    means: 'a connection by TLS 1.2 or 1.3 comes about',
    run: async (trial) => {
      const { protocol } = await trial.handshake();
      if (protocol === 'TLSv1.2' || protocol === 'TLSv1.3') return { result: 'passed', seen: protocol };
      return { result: 'failed', seen: protocol, advice: 'Switch TLS 1.2 and 1.3 on at the receiver or its proxy.' };
    },
  },

  certificate: {
    means: 'the certificate is for this name, valid, and of an authority that browsers trust',
    run: async (trial) => certificateFinding(await trial.handshake()),
  },
};

const DAY_MS = 86_400_000;
const SOON_DAYS = 14;

function certificateFinding({ fault, validTo }: Handshake): Finding {
  if (fault !== undefined) {
    return { result: 'failed', seen: fault, advice: certificateAdvice[fault] ?? OTHER_CERTIFICATE };
  }
  const seen = `until ${validTo.toISOString().slice(0, 10)}`;
  if (validTo.getTime() > Date.now() + SOON_DAYS * DAY_MS) return { result: 'passed', seen };
  return { result: 'warning', seen, advice: 'Renew it soon: when it has ended, nothing is sent any more.' };
}

const INCOMPLETE = 'Have the server send the certificates between its own and the authority too (the full chain).';
const OTHER_CERTIFICATE =
  'Use a certificate of an authority that browsers trust. For one of your own, name its authority by --ca.';

const certificateAdvice: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'Renew it.',
  CERT_NOT_YET_VALID: 'It is not valid yet: compare the clocks of both machines.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Use one for the name in the URL.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: INCOMPLETE,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: INCOMPLETE,
};
