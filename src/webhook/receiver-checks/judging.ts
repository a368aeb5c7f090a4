import { DAY_MS } from '../../base/clock.js';
import { urlRefusal } from '../../endpoints/addresses.js';
import type { Finding } from '../../endpoints/verification.js';
import type { Outcome } from '../../queue/schedule.js';
import type { SendResult } from '../http-client.js';
import type { Check, Handshake, Trial, Variation } from './trial.js';

type Vary = (trial: Trial) => Variation;

type Advice = string | { [status: number]: string; otherwise: string };

export function accepts(means: string, vary: Vary, advice: Advice): Check {
  return { means, run: async (trial) => acceptance(await trial.send(vary(trial)), advice) };
}

export function refuses(means: string, vary: Vary, advice: string): Check {
  return {
    means,
    run: async (trial) => {
      const { outcome } = await trial.send(vary(trial));
      const status = statusOf({ outcome });
      if (isAccepted(status)) return { result: 'failed', seen: seenIn(outcome), advice };
      if (status === 401 || status === 403) return { result: 'passed', seen: seenIn(outcome) };
      return { result: 'warning', seen: seenIn(outcome), advice: 'It is refused, but answer 401, which says why.' };
    },
  };
}

/**
 * Judges an answer and accepts every 2xx status. Another check warns of 202 and the like, so that one mistake gives one
 * finding.
 */
export function acceptance({ outcome }: SendResult, advice: Advice): Finding {
  const status = statusOf({ outcome });
  if (isAccepted(status)) return { result: 'passed', seen: seenIn(outcome) };
  const general = typeof advice === 'string' ? advice : (advice[status] ?? advice.otherwise);
  return { result: 'failed', seen: seenIn(outcome), advice: statusAdvice(status) ?? general };
}

function statusAdvice(status: number): string | undefined {
  if (status >= 300 && status < 400) return 'Redirects are not followed: register the address that this one leads to.';
  if (status === 410) return 'Do not answer 410 unless you want nothing more: it disables the endpoint.';
  return undefined;
}

const statusOf = ({ outcome }: Pick<SendResult, 'outcome'>): number =>
  outcome.kind === 'answered' ? outcome.status : 0;

const isAccepted = (status: number): boolean => status >= 200 && status < 300;

const seenIn = (outcome: Outcome): string =>
  outcome.kind === 'answered' ? `${outcome.status} in ${inWords(outcome.durationMs)}` : outcome.error;

const inWords = (ms: number): string => (ms < 1_000 ? `${Math.ceil(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);

export const answerChecks: Readonly<Record<string, Check>> = {
  status: {
    means: 'what is accepted is answered 200 or 201',
    run: async ({ results }) => {
      const others = new Set(results.map(statusOf).filter((status) => isAccepted(status) && status > 201));
      const seen = [...new Set(results.map(statusOf).filter(isAccepted))].join(', ');
      if (others.size === 0) return { result: 'passed', seen };
      const advice = `Answer 200 or 201. ${[...others].join(', ')} counts as a failure, and the body comes again.`;
      return { result: 'failed', seen, advice };
    },
  },
  'answer-time': {
    means: 'answers come soon',
    run: async ({ results, limits: { slowMs, deadlineMs } }) => {
      const slowest = Math.max(...results.map(({ outcome }) => outcome.durationMs));
      const seen = `the slowest in ${inWords(slowest)}`;
      const advice = `Store the body, answer, and work on it after that. An attempt ends after ${inWords(deadlineMs)}.`;
      if (slowest >= deadlineMs) return { result: 'failed', seen, advice };
      return slowest > slowMs ? { result: 'warning', seen, advice } : { result: 'passed', seen };
    },
  },
  'keep-alive': {
    means: 'a connection serves more than one request',
    run: async ({ results }) => {
      const reused = results.filter((each) => each.reused).length;
      const seen = `${reused} of ${results.length} requests over a connection that was open`;
      if (2 * reused >= results.length) return { result: 'passed', seen };
      return { result: 'warning', seen, advice: 'Keep connections open: a new one costs more than the request.' };
    },
  },
};

// The ports that a service sends to by default.
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
