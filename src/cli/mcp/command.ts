import { command, flag } from '../command.js';

const SUMMARY = `Serve agents: the Model Context Protocol on standard input and output, for a program that starts this one.

An account's credentials get the tools quote, coverage, list_orders, find and why_is_it_late; an operator's todays_trouble and search_packages as well. With --allow-writes,
place_order, cancel_order, cancel_package and answer_problem are there too, and replay_deliveries for operators; each demands an idempotency_key.
Give it credentials in the environment, so that it can sign in again; an operator who has a second factor gives OPERATOR_KEY for what writes, as nobody is asked for a code.
The guide shows how a host of agents starts it: /docs/guide/agents of the service.`;

export const mcp = command({
  usage: 'mcp',
  summary: SUMMARY,
  example: '--allow-writes',
  options: { allowWrites: flag('--allow-writes', 'offer the tools that change something, too') },
  run: async (session, { allowWrites = false }) => {
    // Load this late: other commands start without the code of the protocol.
    const { serve } = await import('./server.js');
    await serve(session, allowWrites);
  },
});
