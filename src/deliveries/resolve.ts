import { lookup } from 'node:dns/promises';

/** Addresses of a name: none when it does not exist, `'unknown'` when that cannot be told now. */
export type Resolve = (host: string) => Promise<readonly string[] | 'unknown'>;

const PATIENCE_MS = 3_000;

/** Asks the system's resolver, for at most 3 s. */
export const resolveName: Resolve = async (host) => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<'unknown'>((resolve) => {
    timer = setTimeout(resolve, PATIENCE_MS, 'unknown');
  });
  try {
    return await Promise.race([addressesOf(host), tooLate]);
  } finally {
    clearTimeout(timer);
  }
};

async function addressesOf(host: string): Promise<readonly string[] | 'unknown'> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOTFOUND' ? [] : 'unknown';
  }
}
