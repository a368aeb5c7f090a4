import type { ClientRequest } from 'node:http';
import { Agent, type AgentOptions } from 'node:https';
import type { Duplex } from 'node:stream';

const IDLE_MS = 60_000;

/**
 * Keeps connections open for the next request to the same receiver, as opening one costs more than all else. Idle ones
 * are limited in number over all receivers, and in time.
 */
export function openConnections(tls: AgentOptions, mostIdle: number): Agent {
  const agent = new Agent({ ...tls, keepAlive: true, scheduling: 'lifo', timeout: IDLE_MS });
  const idle = new Set<Duplex>();
  const known = new WeakSet<Duplex>();
  const keep = agent.keepSocketAlive.bind(agent);
  const reuse = agent.reuseSocket.bind(agent);
  agent.keepSocketAlive = (socket: Duplex) => {
    const kept: unknown = idle.size < mostIdle && keep(socket);
    if (kept === false) return false;
    idle.add(socket);
    if (!known.has(socket)) socket.once('close', () => idle.delete(socket));
    known.add(socket);
    return true;
  };
  agent.reuseSocket = (socket: Duplex, request: ClientRequest) => {
    idle.delete(socket);
    reuse(socket, request);
  };
  return agent;
}
