import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds what clients that do not read their answers make the process hold. A connection is answered one request at a time,
 * so it holds one answer at most; it is ended when its answer stands still for too long; and when all connections together
 * hold too much, those whose answers have stood still for longest are ended first.
 */

export interface UnreadLimits {
  /** Milliseconds that an answer may wait without a byte of it leaving. */
  readonly unreadTimeout: number;
  /**
   * Bytes of answers that may wait to be sent, over all connections. Beyond it those are ended that have stood still for a
   * second; beyond twice as many, others too.
   */
  readonly maxUnread: number;
  /** Milliseconds between two looks at the connections. */
  readonly connectionsCheckingInterval: number;
}

/** An answer that waits: how much of all that was sent the system has taken, and for how long it has taken no more. */
interface Wait {
  readonly sent: number;
  readonly stillMs: number;
}

/** Requests that may be sent ahead on a connection; the standard lets a server end one that sends more. */
const MAX_WAITING = 100;
/** Milliseconds without progress after which a client counts as slow. */
const GRACE_MS = 1_000;
/** Milliseconds between two looks while much is held. */
const HURRY_MS = 50;

const numberIn = (value: unknown, name: string): number =>
  typeof value === 'object' && value !== null ? Number(Reflect.get(value, name) ?? 0) : 0;

/**
 * Bytes that the system has taken from a socket. Node's public counters move only when a whole write is done, which for a
 * large answer is at its end; its own `setTimeout` of sockets looks at the same handle.
 */
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
  private heldBytes = 0;
  private lookedAt = 0;

  constructor(private readonly limits: UnreadLimits) {}

  add(socket: Socket): void {
    this.waits.set(socket, undefined);
    socket.once('close', () => this.waits.delete(socket));
  }

  /** Ends the connections that are beyond a limit. */
  look(): void {
    const now = performance.now();
    // While the process itself stood still, no client could be seen to read.
    const passedMs = Math.min(now - this.lookedAt, 2 * this.limits.connectionsCheckingInterval);
    this.lookedAt = now;
    this.heldBytes = 0;
    for (const [socket, earlier] of this.waits) {
      const wait = socket.writableLength === 0 ? undefined : waitOf(socket, earlier, passedMs);
      this.waits.set(socket, wait);
      this.heldBytes += socket.writableLength;
      if (wait && wait.stillMs >= this.limits.unreadTimeout) this.end(socket);
    }
    this.endSlowest(this.limits.maxUnread, GRACE_MS);
    this.endSlowest(2 * this.limits.maxUnread, 0);
  }

  /** The same, before more is made, when much was held at the last look. */
  lookInHurry(): void {
    if (this.heldBytes > this.limits.maxUnread / 2 && performance.now() - this.lookedAt >= HURRY_MS) this.look();
  }

  /** Ends connections whose answers have stood still for so long, until no more than `allowed` is held. */
  private endSlowest(allowed: number, stillMs: number): void {
    if (this.heldBytes <= allowed) return;
    const slow = [...this.waits]
      .flatMap(([socket, wait]) => (wait && wait.stillMs >= stillMs ? [{ socket, stillMs: wait.stillMs }] : []))
      .sort((a, b) => b.stillMs - a.stillMs);
    for (const { socket } of slow) {
      if (this.heldBytes <= allowed) return;
      this.end(socket);
    }
  }

  private end(socket: Socket): void {
    this.heldBytes -= socket.writableLength;
    this.waits.delete(socket);
    socket.resetAndDestroy();
  }
}

type InTurn = (req: IncomingMessage, res: ServerResponse, answer: () => void) => void;

/** Answers of a connection follow each other: each is begun when the one before has left. */
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

/** Watches a server's connections until it is closed. What it returns calls `answer` when a request may be answered. */
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
