import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';

/** A name server on this machine, whose answers may change from query to query. */
export type NameServer = Awaited<ReturnType<typeof startNameServer>>;

export async function startNameServer() {
  /** The IPv4 addresses of each name, answer by answer. The last answer stays. Other names have no address. */
  const zone = new Map<string, string[][]>();
  /** Names without an answer, as if their name server were dead. With `all` this server answers no query. */
  const silentFor = new Set<string>();
  const server = createSocket('udp4');
  server.on('message', (query, { port }) => {
    if (silentFor.has('all') || silentFor.has(nameIn(query))) return;
    server.send(answerTo(zone, query), port, '127.0.0.1');
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  /** A resolver that asks only this server. */
  const resolver = new dns.Resolver({ timeout: 500, tries: 2 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  return { zone, silentFor, port: server.address().port, resolver, close: () => void server.close() };
}

/** A DNS answer (RFC 1035) with the zone's next IPv4 addresses, a TTL of 0, and never an IPv6 address. */
function answerTo(zone: ReadonlyMap<string, string[][]>, query: Buffer): Buffer {
  const name = nameIn(query);
  // A label begins with its length. A 0 follows the last label.
  const at = 12 + (name === '' ? 0 : name.length + 1);
  const question = query.subarray(12, at + 5);
  const turns = query.readUInt16BE(at + 1) === 1 ? (zone.get(name) ?? []) : [];
  const addresses = (turns.length > 1 ? turns.shift() : turns[0]) ?? [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, question, ...records]);
}

function nameIn(query: Buffer): string {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.');
}
