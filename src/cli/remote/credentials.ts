import { randomBytes, type ScryptOptions, scryptSync } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isFields, parseJson } from '../../base/values.js';
import type { Credentials } from '../config.js';
import { CommandError, RefusedError } from '../errors.js';
import { type AnswerOf, answerOf, type BodyOf, type Client, type TokenSource } from './client.js';

export interface SignIn extends TokenSource {
  /**
   * Signs in and stores the token. Without a needed code of the second factor, the token only reads. Throws
   * RefusedError.
   */
  as(email: string, password: string): Promise<{ accessToken: string; lacksCode: boolean }>;
  replaceToken(token: AccessToken): Promise<void>;
  forget(): Promise<void>;
}

type AccessToken = Pick<AnswerOf<'signIn'>, 'access_token' | 'expires_in'>;

export interface SignInOptions {
  credentials: Credentials;
  /** An API key to sign in with, instead of the credentials. */
  apiKey?: { id: string; secret: string } | undefined;
  code: string | undefined;
  /** Asks a person for the code. Undefined if no person is there. */
  askCode: () => Promise<string | undefined>;
  /** The XDG configuration directory. The tokens are stored in it. */
  configHome: string;
  /** The cost of a password's mark. The default is Node's. */
  markCost?: ScryptOptions | undefined;
}

/** The e-mail address of the account that the service creates at its first start, by default (docs/settings.md). */
export const DEFAULT_EMAIL = 'operator@malote.local';

const MARGIN_MS = 10_000;

export function createSignIn(
  url: string,
  { credentials, apiKey, configHome, code, askCode, markCost = {} }: SignInOptions,
  client: Client,
): SignIn {
  const {
    email: named,
    password,
    setting,
  } = apiKey ? { email: apiKey.id, password: apiKey.secret, setting: 'MALOTE_CLIENT_SECRET' as const } : credentials;
  const email = named ?? DEFAULT_EMAIL;
  const tokens = tokenFile(configHome);
  const keep = async (who: string, secret: string, answer: AccessToken): Promise<string> => {
    await tokens.store(url, { email: who, ...timed(answer), passwordMark: markOf(secret, markCost) });
    return answer.access_token;
  };
  const as: SignIn['as'] = async (who, secret) => {
    const login = { email: who, password: secret, ...(code !== undefined && { code }) };
    const { answer, lacksCode } = await tokenFor(client, login, askCode);
    return { accessToken: await keep(who, secret, answer), lacksCode };
  };
  const byEnvironment = async () => {
    if (password === undefined) return undefined;
    try {
      if (apiKey) return await keep(email, password, await tokenOf(client, apiKey));
      return (await as(email, password)).accessToken;
    } catch (error) {
      throw error instanceof RefusedError && error.status === 401 ? wrongPassword(url, email, setting) : error;
    }
  };
  const isOwn = (token: StoredToken): boolean =>
    password === undefined
      ? named === undefined || named === token.email
      : token.email === email && token.passwordMark === markOf(password, markCost, token.passwordMark.split(':', 1)[0]);
  const stored = async () => {
    const token = await tokens.find(url);
    return token && token.expiresAt > Date.now() + MARGIN_MS && isOwn(token) ? token.accessToken : undefined;
  };
  return {
    as,
    replaceToken: async (answer) => {
      const token = await tokens.find(url);
      if (token) await tokens.store(url, { ...token, ...timed(answer) });
    },
    token: async () => (await stored()) ?? (await byEnvironment()) ?? notSignedIn(url),
    renewed: byEnvironment,
    forget: () => tokens.forget(url),
  };
}

const timed = ({ access_token: accessToken, expires_in: seconds }: AccessToken) => ({
  accessToken,
  expiresAt: Date.now() + seconds * 1000,
});

/**
 * Signs operators in at D, with a code if needed. Everybody else signs in at A, as do operators of a release before
 * 1.4.
 */
async function tokenFor({ call }: Client, login: BodyOf<'signIn'>, askCode: SignInOptions['askCode']) {
  try {
    return { answer: await call('signIn', { body: login }), lacksCode: false };
  } catch (error) {
    if (!(error instanceof RefusedError && [403, 404].includes(error.status))) throw error;
    const lacksCode = error.reason === 'second_factor_required';
    const code = lacksCode ? await askCode() : undefined;
    if (code !== undefined) return { answer: await call('signIn', { body: { ...login, code } }), lacksCode: false };
    const { email, password } = login;
    return { answer: await call('login', { body: { email, password } }), lacksCode };
  }
}

/** Exchanges an API key for a token of A. */
async function tokenOf(client: Client, { id, secret }: { id: string; secret: string }): Promise<AccessToken> {
  const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  return answerOf<'issueToken'>(await client.send('issueToken', { body }));
}

function wrongPassword(url: string, email: string, setting: string): CommandError {
  if (setting === 'MALOTE_CLIENT_SECRET')
    return new CommandError(
      `${url} does not take MALOTE_CLIENT_SECRET for ${email}: correct it and MALOTE_CLIENT_ID.`,
      1,
    );
  const pair = `${setting} for ${email} (with MALOTE_CODE, if that is set): correct it and ${setting.replace('PASSWORD', 'EMAIL')}`;
  return new CommandError(`${url} does not take ${pair}, or unset it and run "malote login".`, 1);
}

function notSignedIn(url: string): never {
  throw new CommandError(`Not signed in to ${url}: run "malote login", or set MALOTE_EMAIL and MALOTE_PASSWORD.`, 1);
}

/** A token that is stored between commands, so that not every command signs in. */
interface StoredToken {
  email: string;
  accessToken: string;
  expiresAt: number;
  passwordMark: string;
}

const MARK_BYTES = 2;

/**
 * Makes a mark that shows whether a token was issued for this password. So a valid token does not hide a wrong
 * password. The mark is short: one in 65,536 other passwords has the same one, so a reader of the file learns almost
 * nothing.
 */
function markOf(password: string, cost: ScryptOptions, salt = randomBytes(16).toString('hex')): string {
  return `${salt}:${scryptSync(password, salt, MARK_BYTES, cost).toString('hex')}`;
}

/** Stores tokens by the service's URL, in a file that only its owner can read. */
function tokenFile(configHome: string) {
  const path = join(configHome, 'malote', 'tokens.json');
  /** Reads the tokens. Everything else in the file is ignored: the next sign-in writes it anew. */
  const read = async (): Promise<Record<string, StoredToken>> => {
    const content = parseJson(await readFile(path, 'utf8').catch(() => ''));
    const entries = isFields(content) ? Object.entries(content) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, StoredToken] => isStoredToken(entry[1])));
  };
  /** Writes a draft and renames it, so that another command never reads half a file. */
  const write = async (tokens: Record<string, StoredToken>) => {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const draft = `${path}.${process.pid}`;
    try {
      await writeFile(draft, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'w' });
      await rename(draft, path);
    } finally {
      await rm(draft, { force: true });
    }
  };
  return {
    find: async (url: string): Promise<StoredToken | undefined> => (await read())[url],
    store: async (url: string, token: StoredToken) => write({ ...(await read()), [url]: token }),
    forget: async (url: string) => {
      const { [url]: forgotten, ...others } = await read();
      if (forgotten) await write(others);
    },
  };
}

const isStoredToken = (value: unknown): value is StoredToken =>
  isFields(value) &&
  ['email', 'accessToken', 'passwordMark'].every((name) => typeof value[name] === 'string') &&
  typeof value['expiresAt'] === 'number';
