import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

const IDLE_MS = 60_000;

/**
 * Makes two agents. `reusingAgent` keeps idle connections for a limited time, and limits their number over all
 * receivers (Node's `maxFreeSockets` limits them per receiver). `connectingAgent` opens a new connection for each
 * request.
 */
export function createAgents(tls: AgentOptions, maxIdle: number): { reusingAgent: Agent; connectingAgent: Agent } {
  const agent = new Agent({ ...tls, keepAlive: true, scheduling: 'lifo', timeout: IDLE_MS });
  const idle = new Set<Duplex>();
  const watched = new WeakSet<Duplex>();
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket: Duplex) => {
    const isKept: unknown = idle.size < maxIdle && keep(socket);
    if (isKept === false) return false;
    idle.add(socket);
    if (!watched.has(socket)) socket.once('close', () => idle.delete(socket));
    watched.add(socket);
    return true;
  };
  agent.reuseSocket = (socket: Duplex, request: ClientRequest) => {
    idle.delete(socket);
    reuse(socket, request);
  };
  return {
    reusingAgent: resetting(agent, (socket) => !idle.has(socket)),
    connectingAgent: resetting(new Agent({ ...tls, keepAlive: false }), () => true),
  };
}

/**
 * Makes the agent end a connection by a reset while a request is under way. After an orderly end, the system would
 * still send the rest. That old state could arrive after a newer state that was sent over another connection.
 */
function resetting(agent: Agent, isUnderWay: (socket: Duplex) => boolean): Agent {
  const create = agent.createConnection.bind(agent);
  agent.createConnection = (...parts) => {
    const socket = create(...parts);
    if (!socket) return socket;
    const destroy = socket._destroy.bind(socket);
    socket._destroy = (error, done) => {
      if (isUnderWay(socket)) resetAtEnd(socket);
      destroy(error, done);
    };
    return socket;
  };
  return agent;
}

type Handle = Record<'close' | 'reset', (done?: () => void) => unknown>;

const isHandle = (value: unknown): value is Handle =>
  typeof value === 'object' && value !== null && 'close' in value && 'reset' in value;

/**
 * Does for TLS what `resetAndDestroy` does for plain connections. The connection is the handle below the TLS handle.
 */
function resetAtEnd(socket: Duplex): void {
  const handle: unknown = Reflect.get(socket, '_handle');
  const connection: unknown = handle instanceof Object ? Reflect.get(handle, '_parent') : undefined;
  if (!isHandle(connection)) return;
  const close = connection.close.bind(connection);
  connection.close = (done) => {
    if (isShuttingDown(socket) || connection.reset(done) !== 0) close(done);
  };
}

/**
 * True while the end of the connection is being sent. Node would refuse a reset then, and never close the connection.
 */
const isShuttingDown = (socket: Duplex): boolean =>
  socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished;
