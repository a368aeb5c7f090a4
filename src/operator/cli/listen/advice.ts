import type { Receiver } from './receiver.js';

interface Listening {
  receiver: Receiver;
  username: string;
  /** Path of a certificate that nobody knows yet; undefined when it was given. */
  ownCertificate: string | undefined;
  checksBasic: boolean;
  checksSignature: boolean;
}

// The ports that the service sends to unless told otherwise.
const usualPorts = [443, 8443];

/** How the service gets to know the receiver, for a person. */
export function advice({ receiver, username, ownCertificate, checksBasic, checksSignature }: Listening): string {
  const settings = [
    ...(ownCertificate === undefined ? [] : [`WEBHOOK_EXTRA_CA=${ownCertificate}`]),
    'WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128',
    ...(usualPorts.includes(receiver.port) ? [] : [`WEBHOOK_PORTS=${[...usualPorts, receiver.port].join(',')}`]),
  ];
  const basic = checksBasic ? 'Basic' : 'no Basic (give WEBHOOK_PASSWORD or --password-stdin)';
  const signature = checksSignature ? 'signature' : 'no signature (give WEBHOOK_SECRET or --secret)';
  return [
    `Listening at ${receiver.url}; checks the schema, ${basic}, ${signature}. Ctrl-C ends it.`,
    'The service must be started with these settings:',
    `  ${settings.join(' ')}`,
    'Register the address once; the answer shows the signing secret:',
    `  malote endpoints create ${receiver.url} --user <user> --username ${username} --password-stdin`,
  ].join('\n');
}
