import pg from 'pg';
import { addressesOf } from '../../base/settings.js';

const SEARCH_MS = 3_000;
/** Connections that open within this time share one search for the host. */
const FRESH_MS = 500;

/** Thrown if no host takes writes, for example between the end of a primary and the promotion of the next one. */
export class NoWritableHostError extends Error {
  override name = 'NoWritableHostError';
  readonly code = '25006';
}

/** Connects to the host of `DATABASE_URL` that takes writes. node-postgres itself knows only one host. */
export function clientFor(url: string): { Client: typeof pg.Client; connectionString: string } {
  const addresses = addressesOf(url);
  const [connectionString] = addresses;
  if (addresses.length === 1) return { Client: pg.Client, connectionString };
  const search = searchOf(addresses);
  class HostClient extends pg.Client {
    override connect(): Promise<pg.Client>;
    override connect(callback: (error?: Error) => void): void;
    override connect(callback?: (error?: Error) => void): Promise<pg.Client> | undefined {
      const connected = search().then(({ host, port }) => {
        Object.assign(this, { host, port });
        return super.connect();
      });
      if (!callback) return connected.then(() => this);
      connected.then(() => callback(), callback);
      return undefined;
    }
  }
  return { Client: HostClient, connectionString };
}

type Host = Pick<pg.Client, 'host' | 'port'>;

/** Asks all hosts at once, because a frozen host does not answer. Takes the first one that takes writes. */
function searchOf(addresses: readonly string[]): () => Promise<Host> {
  let latest: { at: number; host: Promise<Host> } | undefined;
  const search = () =>
    Promise.any(addresses.map(writable)).catch((cause: AggregateError) => {
      throw new NoWritableHostError('none of the hosts of DATABASE_URL takes writes', { cause: cause.errors[0] });
    });
  return () => {
    if (!latest || performance.now() - latest.at > FRESH_MS) latest = { at: performance.now(), host: search() };
    return latest.host;
  };
}

async function writable(address: string): Promise<Host> {
  const anyHost = new URL(address).searchParams.get('target_session_attrs') === 'any';
  const client = new pg.Client({
    connectionString: address,
    connectionTimeoutMillis: SEARCH_MS,
    query_timeout: SEARCH_MS,
    application_name: 'malote host',
  });
  // The requests that a lost connection ends report the loss.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ transaction_read_only: string }>('show transaction_read_only');
    if (anyHost || rows[0]?.transaction_read_only === 'off') return client;
    throw new NoWritableHostError('takes no writes');
  } finally {
    void client.end();
  }
}
