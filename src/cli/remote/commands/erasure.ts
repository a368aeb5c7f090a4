import { setTimeout as sleep } from 'node:timers/promises';
import { command, flag, option, required, type Session } from '../../command.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';

type Erasure = AnswerOf<'getErasure'>;

/** A date is its first moment in UTC. */
const instantOf = (date: string): string => (/^\d{4}-\d\d-\d\d$/.test(date) ? `${date}T00:00:00Z` : date);

const LOOK_EVERY_MS = 500;

const finished = ({ call, print }: Session, { id }: Erasure): Promise<Erasure> =>
  print.progress(async (at) => {
    for (;;) {
      const erasure = await call('getErasure', { path: { id } });
      if (erasure.finished_at !== undefined) return erasure;
      at(erasure.orders ?? 0, `${erasure.orders ?? 0} orders`);
      await sleep(LOOK_EVERY_MS);
    }
  });

export const erasure = {
  holdUser: operation('holdUser', 'users hold <user-or-deleted>', {
    summary: 'Keep the personal data of a user, deleted or not, from being erased.',
  }),
  releaseUser: operation('releaseUser', 'users release <user-or-deleted>', {
    summary: 'End a hold of a user, deleted or not.',
  }),
  eraseUser: operation('eraseUser', 'users erase <deleted-user>', {
    summary: 'Erase the personal data of a deleted user now. It cannot be undone.',
  }),
  listDeletedUsers: operation('listDeletedUsers', 'users deleted', {
    summary: 'List deleted users whose personal data is not erased yet.',
    example: '--email ana@example.com',
    options: { email: ['--email <address>', 'only those of this e-mail address'] },
    show: table(['id', 'email', 'name', 'deleted_at', 'held_at']),
  }),
  eraseRecipients: command({
    usage: 'recipients erase',
    summary: 'Erase names, phones and addresses of finished orders. Only counts them without --yes.',
    example: '--before 2026-01-01 --yes',
    options: {
      before: required(option('--before <date>', 'orders finished before this date (UTC) or time (RFC 3339)')),
      yes: flag('--yes', 'erase; it cannot be undone'),
    },
    run: async (session, { before, yes = false }) => {
      const { call, print } = session;
      const counts = await call('eraseRecipients', { body: { before: instantOf(before), dry_run: !yes } });
      if (counts.erasure) return print.record(await finished(session, counts.erasure));
      print.record(counts);
      print.say('Nothing was erased. Run it again with --yes to erase them.');
    },
  }),
  listErasures: operation('listErasures', 'erasures list', {
    summary: 'List what was erased and is to be erased, newest first.',
    show: table(['id', 'kind', 'user_id as user', 'before', 'orders', 'requested_at', 'finished_at']),
  }),
  getErasure: operation('getErasure', 'erasures show <erasure>', { summary: 'Show one erasure.' }),
};
