import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../../../../generated/operator.js';
import { bodyOf } from '../client.js';
import { command, option, type PageOptions, pageOptions, pageQuery, required, type Session } from '../command.js';
import { CommandError, wrongUsage } from '../errors.js';
import type { Columns } from '../printer.js';

type Erasure = components['schemas']['Erasure'];

const columns: Columns<Erasure> = {
  id: (erasure) => erasure.id,
  kind: (erasure) => erasure.kind,
  user: (erasure) => erasure.user_id,
  before: (erasure) => erasure.before,
  orders: (erasure) => erasure.orders,
  'requested at': (erasure) => erasure.requested_at,
  'finished at': (erasure) => erasure.finished_at,
};

/** The id of the user that an operand names: an id, or the e-mail address of one user, deleted or not. */
async function userId({ rest, operator }: Session, operand = ''): Promise<string> {
  if (!operand.includes('@')) return operand;
  const page_size = 100;
  const users = rest.GET('/api/v1/users', { params: { query: { search: operand, page_size } } });
  const deleted = operator.GET('/operator/v1/deleted-users', { params: { query: { email: operand, page_size } } });
  const all = [...(await bodyOf(users)).data, ...(await bodyOf(deleted)).data];
  const ids = all.filter(({ email }) => email.toLowerCase() === operand.toLowerCase()).map(({ id }) => id);
  const [id, ...others] = ids;
  if (id === undefined) throw new CommandError('No user has this e-mail address.', 1);
  if (others.length === 0) return id;
  throw wrongUsage(`Several users have or had this e-mail address. Name one by its id: ${ids.join(', ')}.`);
}

/** A date is its first moment in UTC. */
const instantOf = (date: string): string => (/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : date);

const LOOK_EVERY_MS = 500;

/** Resolves when the service has done it. */
async function finished({ operator, print }: Session, { id }: Erasure): Promise<Erasure> {
  const bar = print.progress();
  try {
    for (;;) {
      const erasure = await bodyOf(operator.GET('/operator/v1/erasures/{id}', { params: { path: { id } } }));
      if (erasure.finished_at !== undefined) return erasure;
      bar.at(erasure.orders ?? 0, `${erasure.orders ?? 0} orders`);
      await sleep(LOOK_EVERY_MS);
    }
  } finally {
    bar.end();
  }
}

export const erasure = {
  holdUser: command({
    usage: 'users hold <user>',
    summary: 'Keep the personal data of a user from being erased.',
    example: 'users hold ana@example.com',
    run: async (session, _options, user) => {
      const params = { path: { id: await userId(session, user) } };
      session.print.record(await bodyOf(session.operator.POST('/operator/v1/users/{id}/hold', { params })));
    },
  }),

  releaseUser: command({
    usage: 'users release <user>',
    summary: 'End a hold.',
    example: 'users release 01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10',
    run: async (session, _options, user) => {
      const params = { path: { id: await userId(session, user) } };
      session.print.record(await bodyOf(session.operator.POST('/operator/v1/users/{id}/release', { params })));
    },
  }),

  eraseUser: command({
    usage: 'users erase <user>',
    summary: 'Erase the personal data of a deleted user now. It cannot be undone.',
    example: 'users erase 01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10',
    run: async ({ operator, print }, _options, user) => {
      const params = { path: { id: user } };
      print.record(await bodyOf(operator.POST('/operator/v1/users/{id}/erasure', { params })));
    },
  }),

  listDeletedUsers: command<PageOptions & { email?: string }>({
    usage: 'users deleted',
    summary: 'List deleted users whose personal data is not erased yet.',
    example: 'users deleted --email ana@example.com',
    options: [option('--email <address>', 'only those of this e-mail address'), ...pageOptions],
    run: async ({ operator, print }, { email, ...page }) => {
      const query = { ...pageQuery(page), ...(email !== undefined && { email }) };
      print.list(await bodyOf(operator.GET('/operator/v1/deleted-users', { params: { query } })), {
        id: (user) => user.id,
        email: (user) => user.email,
        name: (user) => user.name,
        'deleted at': (user) => user.deleted_at,
        'held at': (user) => user.held_at,
      });
    },
  }),

  eraseRecipients: command<{ before: string; yes?: boolean }>({
    usage: 'recipients erase',
    summary: 'Erase names, phones and addresses of finished orders. Only counts them without --yes.',
    example: 'recipients erase --before 2026-01-01 --yes',
    options: [
      required(option('--before <date>', 'orders finished before this date (UTC) or time (RFC 3339)')),
      option('--yes', 'erase; it cannot be undone'),
    ],
    run: async (session, { before, yes = false }) => {
      const { operator, print } = session;
      const body = { before: instantOf(before), dry_run: !yes };
      const counts = await bodyOf(operator.POST('/operator/v1/recipient-erasures', { body }));
      if (counts.erasure) return print.record(await finished(session, counts.erasure));
      print.record(counts);
      print.say('Nothing was erased. Run it again with --yes to erase them.');
    },
  }),

  listErasures: command<PageOptions>({
    usage: 'erasures list',
    summary: 'List what was erased and is to be erased, newest first.',
    example: 'erasures list',
    options: pageOptions,
    run: async ({ operator, print }, options) => {
      const params = { query: pageQuery(options) };
      print.list(await bodyOf(operator.GET('/operator/v1/erasures', { params })), columns);
    },
  }),

  getErasure: command({
    usage: 'erasures show <erasure>',
    summary: 'Show one erasure.',
    example: 'erasures show 01930f80-1a2b-7c3d-8e4f-5a6b7c8d9e0f',
    run: async ({ operator, print }, _options, id) => {
      print.record(await bodyOf(operator.GET('/operator/v1/erasures/{id}', { params: { path: { id } } })));
    },
  }),
};
