import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Limits the memory of answers that clients do not read. A connection holds one answer at a time. It is ended if
 * nothing leaves for too long. If all answers together hold too much, the connections without progress for longest are
 * ended first.
 */

interface UnreadLimits {
  /** Milliseconds for which an answer may wait while none of its bytes leaves. */
  readonly unreadTimeout: number;
  /**
   * Maximum bytes that wait in all connections. Above it, connections without progress for a second are ended. Above
   * twice as much, others are ended, too.
   */
  readonly maxUnread: number;
  /** Milliseconds between two checks of the connections. */
  readonly connectionsCheckingInterval: number;
}

/** An answer that waits: its bytes that have left, and the time since the last of them left. */
interface Wait {
  readonly sent: number;
  readonly stillMs: number;
}

/**
 * Maximum requests that a client may send ahead on a connection. The standard lets a server close a connection with
 * more.
 */
const MAX_WAITING = 100;
/** Milliseconds without progress after which a client counts as slow. */
const GRACE_MS = 1_000;
/** Milliseconds between two checks while many bytes wait. */
const HURRY_MS = 50;

const numberIn = (value: unknown, name: string): number =>
  typeof value === 'object' && value !== null ? Number(Reflect.get(value, name) ?? 0) : 0;

/** Bytes that the system has taken from a socket. Node's public counters change only when a whole write is done. */
function sentBy(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle');
  return numberIn(handle, 'bytesWritten') - numberIn(handle, 'writeQueueSize');
}

function waitOf(socket: Socket, earlier: Wait | undefined, passedMs: number): Wait {
  const sent = sentBy(socket);
  return { sent, stillMs: sent === earlier?.sent ? earlier.stillMs + passedMs : 0 };
}

class Connections {
  private readonly waits = new Map<Socket, Wait | undefined>();
  private waitingBytes = 0;
  private lookedAt = 0;

  constructor(private readonly limits: UnreadLimits) {}

  add(socket: Socket): void {
    this.waits.set(socket, undefined);
    socket.once('close', () => this.waits.delete(socket));
  }

  look(): void {
    const now = performance.now();
    // Limit the passed time: while this process stood still, it could not see that a client reads.
    const passedMs = Math.min(now - this.lookedAt, 2 * this.limits.connectionsCheckingInterval);
    this.lookedAt = now;
    this.waitingBytes = 0;
    for (const [socket, earlier] of this.waits) {
      const wait = socket.writableLength === 0 ? undefined : waitOf(socket, earlier, passedMs);
      this.waits.set(socket, wait);
      this.waitingBytes += socket.writableLength;
      if (wait && wait.stillMs >= this.limits.unreadTimeout) this.end(socket);
    }
    this.endSlowest(this.limits.maxUnread, GRACE_MS);
    this.endSlowest(2 * this.limits.maxUnread, 0);
  }

  /** Checks before another answer is made, if many bytes waited at the last check. */
  lookInHurry(): void {
    if (this.waitingBytes > this.limits.maxUnread / 2 && performance.now() - this.lookedAt >= HURRY_MS) this.look();
  }

  private endSlowest(allowed: number, stillMs: number): void {
    if (this.waitingBytes <= allowed) return;
    const slow = [...this.waits]
      .flatMap(([socket, wait]) => (wait && wait.stillMs >= stillMs ? [{ socket, stillMs: wait.stillMs }] : []))
      .sort((a, b) => b.stillMs - a.stillMs);
    for (const { socket } of slow) {
      if (this.waitingBytes <= allowed) return;
      this.end(socket);
    }
  }

  private end(socket: Socket): void {
    this.waitingBytes -= socket.writableLength;
    this.waits.delete(socket);
    socket.resetAndDestroy();
  }
}

type InTurn = (req: IncomingMessage, res: ServerResponse, answer: () => void) => void;

/** Starts each answer of a connection when the previous one has left. */
function oneAtATime(): InTurn {
  const queues = new WeakMap<Socket, { last: ServerResponse; waiting: number }>();
  return ({ socket }, res, answer) => {
    const queue = queues.get(socket) ?? { last: res, waiting: 0 };
    const { last } = queue;
    queue.last = res;
    queues.set(socket, queue);
    if (last === res || last.closed) return answer();
    if (queue.waiting === MAX_WAITING) return void socket.destroy();
    queue.waiting += 1;
    last.once('close', () => {
      queue.waiting -= 1;
      if (socket.writable) answer();
    });
  };
}

export function watchAnswers(server: Server, limits: UnreadLimits): InTurn {
  const connections = new Connections(limits);
  const timer = setInterval(() => connections.look(), limits.connectionsCheckingInterval).unref();
  server.on('connection', (socket: Socket) => connections.add(socket));
  server.once('close', () => clearInterval(timer));
  const inTurn = oneAtATime();
  return (req, res, answer) => {
    connections.lookInHurry();
    inTurn(req, res, answer);
  };
}
