import { setTimeout as sleep } from 'node:timers/promises';
import type { components } from '../../../../generated/operator.js';
import { command, option, type PageOptions, pageOptions, pageQuery, required, type Session } from '../../command.js';
import type { Columns } from '../../printer.js';
import { bodyOf } from '../client.js';

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
    usage: 'users hold <user-or-deleted>',
    summary: 'Keep the personal data of a user, deleted or not, from being erased.',
    example: 'users hold ana@example.com',
    run: async ({ operator, print }, _options, id) => {
      print.record(await bodyOf(operator.POST('/operator/v1/users/{id}/hold', { params: { path: { id } } })));
    },
  }),

  releaseUser: command({
    usage: 'users release <user-or-deleted>',
    summary: 'End a hold of a user, deleted or not.',
    example: 'users release ana@example.com',
    run: async ({ operator, print }, _options, id) => {
      print.record(await bodyOf(operator.POST('/operator/v1/users/{id}/release', { params: { path: { id } } })));
    },
  }),

  eraseUser: command({
    usage: 'users erase <deleted-user>',
    summary: 'Erase the personal data of a deleted user now. It cannot be undone.',
    example: 'users erase ana@example.com',
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
