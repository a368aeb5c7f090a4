import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../../../../generated/operator.js';
import { command, option, type PageOptions, pageOptions, pageQuery, type Session } from '../../command.js';
import { CommandError, wrongUsage } from '../../errors.js';
import type { Columns } from '../../printer.js';
import { bodyOf } from '../client.js';
import { endpoint } from './webhook-endpoints.js';

const attemptColumns: Columns<components['schemas']['WebhookAttempt']> = {
  'attempted at': (attempt) => attempt.attempted_at,
  attempt: (attempt) => attempt.number,
  outcome: (attempt) => attempt.outcome,
  status: (attempt) => attempt.status_code,
  ms: (attempt) => attempt.duration_ms,
  error: (attempt) => attempt.error,
};

interface SendNowOptions {
  user?: string;
  all?: boolean;
}

function sendNowBody({ user, all }: SendNowOptions, id: string | undefined) {
  const bodies = [
    ...(id === undefined ? [] : [{ endpoint_id: id }]),
    ...(user === undefined ? [] : [{ user_id: user }]),
    ...(all ? [{ all }] : []),
  ];
  const [body] = bodies;
  if (!body || bodies.length > 1) throw wrongUsage('Give one of an endpoint, --user and --all.');
  return body;
}

interface ReplayOptions {
  from?: string;
  to?: string;
  deadLetters?: boolean;
  wait?: boolean;
}

function replayBody({ from, to, deadLetters }: ReplayOptions) {
  if (deadLetters && from === undefined && to === undefined) return { dead_letters: true as const };
  if (!deadLetters && from !== undefined && to !== undefined) return { from, to };
  throw wrongUsage('Give either --from and --to, or --dead-letters.');
}

const LOOK_EVERY_MS = 500;

/** Resolves when no replay waits at the endpoint. Throws when it is disabled before that. */
async function allSent(session: Session, id: string): Promise<void> {
  let now = await endpoint(session, id);
  const whole = now.replay_count;
  const bar = session.print.progress(whole);
  try {
    for (; now.replay_count > 0; now = await endpoint(session, id)) {
      if (now.state === 'disabled') throw new CommandError('The endpoint is disabled; the rest waits.', 1);
      bar.at(whole - now.replay_count, `${now.replay_count} wait`);
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    bar.end();
  }
}

// The largest page that the contract allows.
const MOST_ATTEMPTS = 100;

/** No operation of its own: what the attempts at an endpoint are of. */
export const deliveryList = command({
  usage: 'deliveries list <endpoint>',
  summary: `List the bodies of the newest ${MOST_ATTEMPTS} attempts at an endpoint, each with its latest one. "malote endpoints dead-letters" lists those given up.`,
  example: 'deliveries list 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
  run: async ({ operator, print }, _options, id) => {
    const params = { path: { id }, query: { page_size: MOST_ATTEMPTS } };
    const newest = await bodyOf(operator.GET('/operator/v1/webhook-endpoints/{id}/attempts', { params }));
    const latest = new Map(newest.data.toReversed().map((attempt) => [attempt.webhook_id, attempt]));
    const data = newest.data.filter((attempt) => latest.get(attempt.webhook_id) === attempt);
    const pagination = { page: 1, total_pages: 1, total_items: data.length };
    print.list({ data, pagination }, { 'webhook id': (attempt) => attempt.webhook_id, ...attemptColumns });
  },
});

export const deliveries = {
  listWebhookAttempts: command<PageOptions>({
    usage: 'endpoints attempts <endpoint>',
    summary: 'List the requests to an endpoint, newest first.',
    example: 'endpoints attempts 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
    options: pageOptions,
    run: async ({ operator, print }, options, id) => {
      const params = { path: { id }, query: pageQuery(options) };
      print.list(await bodyOf(operator.GET('/operator/v1/webhook-endpoints/{id}/attempts', { params })), {
        ...attemptColumns,
        'webhook id': (attempt) => attempt.webhook_id,
      });
    },
  }),

  listDeadLetters: command<PageOptions>({
    usage: 'endpoints dead-letters <endpoint>',
    summary: 'List the bodies that were given up, newest first.',
    example: 'endpoints dead-letters 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
    options: pageOptions,
    run: async ({ operator, print }, options, id) => {
      const params = { path: { id }, query: pageQuery(options) };
      print.list(await bodyOf(operator.GET('/operator/v1/webhook-endpoints/{id}/dead-letters', { params })), {
        'webhook id': (letter) => letter.webhook_id,
        packages: (letter) => letter.package_count,
        attempts: (letter) => letter.attempt_count,
        'created at': (letter) => letter.created_at,
        'given up at': (letter) => letter.ended_at,
      });
    },
  }),

  replayDeliveries: command<ReplayOptions>({
    usage: 'endpoints replay <endpoint>',
    summary: 'Send bodies of a range of time, or all dead letters, again.',
    example: 'endpoints replay 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29 --dead-letters',
    options: [
      option('--from <time>', 'bodies created at this time or later, RFC 3339'),
      option('--to <time>', 'bodies created before this time, RFC 3339'),
      option('--dead-letters', 'every dead letter'),
      option('--wait', 'end when all were acknowledged or given up again'),
    ],
    run: async (session, { wait, ...options }, id) => {
      const { operator, print } = session;
      const params = { path: { id } };
      const body = replayBody(options);
      print.record(await bodyOf(operator.POST('/operator/v1/webhook-endpoints/{id}/replay', { params, body })));
      if (wait) await allSent(session, id);
    },
  }),

  sendNow: command<SendNowOptions>({
    usage: 'endpoints send-now [endpoint]',
    summary: 'Send what waits for its next attempt now: of an endpoint, of a user, or all.',
    example: 'endpoints send-now 01930f6a-5d2e-7c40-8b19-7e6d5c4b3a29',
    options: [
      option('--user <user>', 'all endpoints of this user that are active'),
      option('--all', 'all endpoints that are active'),
    ],
    run: async ({ operator, print }, options, id?: string) => {
      const body = sendNowBody(options, id);
      const counts = await bodyOf(operator.POST('/operator/v1/send-now', { body }));
      print.record(counts);
      if (counts.more) print.say('More wait: run it again.');
    },
  }),

  getDelivery: command({
    usage: 'deliveries show <webhook-id>',
    summary: 'Show a body with its state and its attempts.',
    example: 'deliveries show 01930f70-2b6c-7d15-9a3e-5c4b3a291807',
    run: async ({ operator, print }, _options, id) => {
      const params = { path: { webhook_id: id } };
      const delivery = await bodyOf(operator.GET('/operator/v1/deliveries/{webhook_id}', { params }));
      const { attempts, ...others } = delivery;
      print.record(delivery, others);
      print.rows(attempts, attemptColumns);
    },
  }),

  replayDelivery: command({
    usage: 'deliveries replay <webhook-id>',
    summary: 'Send one body again.',
    example: 'deliveries replay 01930f70-2b6c-7d15-9a3e-5c4b3a291807',
    run: async ({ operator, print }, _options, id) => {
      const params = { path: { webhook_id: id } };
      print.record(await bodyOf(operator.POST('/operator/v1/deliveries/{webhook_id}/replay', { params })));
    },
  }),
};
