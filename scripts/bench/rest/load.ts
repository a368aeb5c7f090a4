import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Reads one whole answer from a connection that is kept. */
async function answerOn(socket: Socket): Promise<string> {
  let received = '';
  for (;;) {
    const [chunk]: Buffer[] = await once(socket, 'data');
    received += chunk?.toString('latin1') ?? '';
    const end = received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
    if (end > 0 && received.length >= end + 4 + Number(length ?? 0)) return received;
  }
}

/** Sends the same GET so many times over so many connections. Throws at the first answer that is not 200. */
export async function load(url: string, token: string, requests: number, clients: number): Promise<void> {
  const { hostname, port, pathname } = new URL(url);
  const text = `GET ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  let left = requests;
  const client = async (): Promise<void> => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    while (left > 0) {
      left -= 1;
      socket.write(text);
      const answer = await answerOn(socket);
      if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`not answered with 200: ${answer.slice(0, 500)}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
}
