import { expect } from '@jest/globals';
import { Client, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import type { Malote } from './malote.js';

/** Agents that speak to `malote mcp`. */

const agents: Client[] = [];

export const closeAgents = () => Promise.all(agents.map((agent) => agent.close()));

/** As long as a test may take, so that no result depends on the speed of the machine. */
export const patience = { timeout: 300_000 };

export async function connected(transport: Transport, mode: 'legacy' | { pin: string }): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  agents.push(client);
  await client.connect(transport, patience);
  return client;
}

/** Runs `malote mcp` in this process, with the newest version of the protocol. */
export function agentOf(shell: Malote, ...args: string[]): Promise<Client> {
  const { stdin, stdout } = shell.talk(['mcp', ...args]);
  const received = new ReadBuffer();
  const transport: Transport = {
    start: async () => {
      stdout.on('data', (chunk: Buffer) => {
        received.append(chunk);
        for (let message = received.readMessage(); message; message = received.readMessage())
          transport.onmessage?.(message);
      });
    },
    send: async (message) => void stdin.write(serializeMessage(message)),
    close: async () => {
      stdin.end();
      transport.onclose?.();
    },
  };
  return connected(transport, { pin: '2026-07-28' });
}

export async function call(agent: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, structuredContent, isError = false } = await agent.callTool({ name, arguments: args }, patience);
  const [block] = content;
  return { text: block?.type === 'text' ? block.text : '', data: Object(structuredContent), isError };
}

/** An answer with an error. */
export const wrong = (text: RegExp) => ({ isError: true, text: expect.stringMatching(text) });
