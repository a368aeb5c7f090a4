/**
 * Child process: HTTPS receivers on many ports. Sends the ports and the certificate authority once they listen. The
 * first `dead` receivers answer 500. They record nothing, because any work of theirs takes CPU from the worker.
 */
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { certificate, createAuthority } from '../../../test/support/receiver.js';

const [count = 1, dead = 0] = process.argv.slice(2).map(Number);
const authority = await createAuthority();
const { cert, private: key } = await certificate({ authority });

const deadPorts = new Set<number>();
const server = createServer({ cert, key, keepAliveTimeout: 300_000 }, (request, response) => {
  const status = deadPorts.has(request.socket.localPort ?? 0) ? 500 : 200;
  request.on('end', () => response.writeHead(status).end()).resume();
});
const ports: number[] = [];
for (let number = 0; number < count; number += 1) {
  const listener = createTcpServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', 2_048, resolve));
  const { port } = listener.address() as AddressInfo;
  if (number < dead) deadPorts.add(port);
  ports.push(port);
}
process.send?.({ ports, ca: authority.cert });
process.on('disconnect', () => process.exit());
