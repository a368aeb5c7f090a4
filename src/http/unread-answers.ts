import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Bounds what clients that do not read their answers make the process hold. A connection is answered one request at a time,
 * so it holds one answer at most; it is ended when its answer stands still for too long; and when all connections together
 * hold too much, the slowest are ended first.
 */

export interface UnreadLimits {
  /** Milliseconds that an answer may wait without a byte of it leaving. */
  readonly unreadTimeout: number;
  /** Bytes of answers that may wait to be sent, over all connections. */
  readonly maxUnread: number;
  /** Milliseconds between two looks at the connections. */
  readonly connectionsCheckingInterval: number;
}

/** An answer that waits: since when, what had left by then, and when a byte of it left last. */
interface Wait {
  readonly since: number;
  readonly sentBefore: number;
  sent: number;
  movedAt: number;
}

/** Requests that may be sent ahead on a connection; the standard lets a server end one that sends more. */
const MAX_WAITING = 100;
/** Milliseconds that an answer may take before its client counts as slow. */
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

/** Bytes per millisecond. */
const speedOf = ({ since, sentBefore, sent }: Wait, now: number): number => (sent - sentBefore) / (now - since);

class Connections {
  private readonly waits = new Map<Socket, Wait | undefined>();
  private held = 0;
  private lookedAt = 0;

  constructor(private readonly limits: UnreadLimits) {}

  add(socket: Socket): void {
    this.waits.set(socket, undefined);
    socket.once('close', () => this.waits.delete(socket));
  }

  /** Ends the connections that are beyond a limit. */
  look(): void {
    const now = performance.now();
    this.lookedAt = now;
    this.held = 0;
    for (const [socket, earlier] of this.waits) {
      const wait = socket.writableLength === 0 ? undefined : this.waitOf(socket, earlier, now);
      this.waits.set(socket, wait);
      if (wait && now - wait.movedAt >= this.limits.unreadTimeout) socket.resetAndDestroy();
      else this.held += socket.writableLength;
    }
    if (this.held > this.limits.maxUnread) this.endSlowest(now);
  }

  /** The same, before more is made, when much was held at the last look. */
  lookInHurry(): void {
    if (this.held > this.limits.maxUnread / 2 && performance.now() - this.lookedAt >= HURRY_MS) this.look();
  }

  private waitOf(socket: Socket, earlier: Wait | undefined, now: number): Wait {
    const sent = sentBy(socket);
    if (!earlier) return { since: now, sentBefore: sent, sent, movedAt: now };
    if (sent === earlier.sent) return earlier;
    return { ...earlier, sent, movedAt: now };
  }

  private endSlowest(now: number): void {
    const slow = [...this.waits]
      .flatMap(([socket, wait]) =>
        wait && now - wait.since >= GRACE_MS ? [{ socket, speed: speedOf(wait, now) }] : [],
      )
      .sort((a, b) => a.speed - b.speed || b.socket.writableLength - a.socket.writableLength);
    for (const { socket } of slow) {
      if (this.held <= this.limits.maxUnread) return;
      this.held -= socket.writableLength;
      socket.resetAndDestroy();
    }
  }
}

export type InTurn = (req: IncomingMessage, res: ServerResponse, answer: () => void) => void;

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
