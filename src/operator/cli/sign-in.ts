import type { Client } from 'openapi-fetch';
import type { paths } from '../../../generated/rest.js';
import { bodyOf } from './answers.js';
import { CommandError } from './failures.js';
import type { TokenFile } from './token-file.js';

export interface Credentials {
  /** Undefined where neither the environment nor the command names one. */
  email: string | undefined;
  password: string | undefined;
}

/** Where requests get their bearer token from. */
export interface TokenSource {
  /** The kept token, or one for the environment's credentials. Throws CommandError when there is neither. */
  token(): Promise<string>;
  /** A new token after the service refused the last one; undefined when nobody is there to ask for the password. */
  renewed(): Promise<string | undefined>;
}

export interface SignIn extends TokenSource {
  /** Signs in and keeps the token. Throws Refusal. */
  as(email: string, password: string): Promise<string>;
  forget(): Promise<void>;
}

/** The account that the service makes at its first start unless told otherwise (docs/settings.md). */
export const DEFAULT_EMAIL = 'operator@malote.local';

const MARGIN_MS = 10_000;

export function createSignIn(
  url: string,
  { email, password }: Credentials,
  tokens: TokenFile,
  door: Client<paths>,
): SignIn {
  const as = async (who: string, secret: string): Promise<string> => {
    const answer = await bodyOf(door.POST('/auth/login', { body: { email: who, password: secret } }));
    const expiresAt = Date.now() + answer.expires_in * 1000;
    await tokens.keep(url, { email: who, accessToken: answer.access_token, expiresAt });
    return answer.access_token;
  };
  const byEnvironment = async () => (password === undefined ? undefined : as(email ?? DEFAULT_EMAIL, password));
  const kept = async () => {
    const token = await tokens.find(url);
    const usable = token && token.expiresAt > Date.now() + MARGIN_MS && (email === undefined || email === token.email);
    return usable ? token.accessToken : undefined;
  };
  return {
    as,
    token: async () => (await kept()) ?? (await byEnvironment()) ?? notSignedIn(url),
    renewed: byEnvironment,
    forget: () => tokens.forget(url),
  };
}

function notSignedIn(url: string): never {
  throw new CommandError(
    `Not signed in to ${url}: run "malote login", or set OPERATOR_EMAIL and OPERATOR_PASSWORD.`,
    1,
  );
}
