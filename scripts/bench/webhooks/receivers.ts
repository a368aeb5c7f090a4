/** Child process: HTTPS receivers on many ports. Tells ports and authority once they listen; answers 500 on the first `dead` of them. */
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { generate } from 'selfsigned';

const [count = 1, dead = 0] = process.argv.slice(2).map(Number);
const strength = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
const ca = await generate([{ name: 'commonName', value: 'Bench authority' }], {
  ...strength,
  extensions: [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, critical: true },
  ],
});
const own = await generate([{ name: 'commonName', value: 'localhost' }], {
  ...strength,
  ca: { cert: ca.cert, key: ca.private },
  extensions: [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }],
});

const deadPorts = new Set<number>();
const server = createServer({ cert: own.cert, key: own.private, keepAliveTimeout: 300_000 }, (request, response) => {
  const status = deadPorts.has(request.socket.localPort ?? 0) ? 500 : 200;
  request.on('end', () => response.writeHead(status).end()).resume();
});
const ports: number[] = [];
for (let number = 0; number < count; number += 1) {
  const listener = createTcpServer((socket) => server.emit('connection', socket));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', 2048, resolve));
  const { port } = listener.address() as AddressInfo;
  if (number < dead) deadPorts.add(port);
  ports.push(port);
}
process.send?.({ ports, ca: ca.cert });
process.on('disconnect', () => process.exit());
