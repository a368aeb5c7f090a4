import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A token kept between commands, so that not each of them signs in. */
export interface KeptToken {
  email: string;
  accessToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

type KeptTokens = Record<string, KeptToken>;

/** Tokens by the service's URL, in a file that only its owner can read. */
export interface TokenFile {
  find(url: string): Promise<KeptToken | undefined>;
  keep(url: string, token: KeptToken): Promise<void>;
  forget(url: string): Promise<void>;
}

/** `configHome` is the XDG configuration directory. */
export function tokenFile(configHome: string): TokenFile {
  const path = join(configHome, 'malote', 'tokens.json');
  return {
    find: async (url) => (await read(path))[url],
    keep: async (url, token) => write(path, { ...(await read(path)), [url]: token }),
    forget: async (url) => {
      const { [url]: forgotten, ...others } = await read(path);
      if (forgotten) await write(path, others);
    },
  };
}

/** Whatever is not a token is as good as absent: signing in writes it anew. */
async function read(path: string): Promise<KeptTokens> {
  try {
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    const entries = typeof content === 'object' && content !== null ? Object.entries(content) : [];
    return Object.fromEntries(entries.filter((entry): entry is [string, KeptToken] => isKeptToken(entry[1])));
  } catch {
    return {};
  }
}

function isKeptToken(value: unknown): value is KeptToken {
  if (typeof value !== 'object' || value === null) return false;
  if (!('email' in value && 'accessToken' in value && 'expiresAt' in value)) return false;
  return (
    typeof value.email === 'string' && typeof value.accessToken === 'string' && typeof value.expiresAt === 'number'
  );
}

/** Renamed into place, so that a command that runs at the same time never reads half a file. */
async function write(path: string, tokens: KeptTokens): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'w' });
    await rename(draft, path);
  } finally {
    await rm(draft, { force: true });
  }
}
