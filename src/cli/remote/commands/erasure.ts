import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf, parseJson } from '../../../base/values.js';
import { command, flag, option, required, type Session } from '../../command.js';
import { CommandError, orAbsent, RefusedError, throwUnreadable, wrongUsage } from '../../errors.js';
import { visible, visibleJson } from '../../terminal.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';

type Erasure = AnswerOf<'getErasure'>;

/** Converts a date to its first moment in UTC. A time stays unchanged. */
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
    summary: 'List past and planned erasures, newest first.',
    show: table(['id', 'kind', 'user_id as user', 'before', 'orders', 'requested_at', 'finished_at']),
  }),
  getErasure: operation('getErasure', 'erasures show <erasure>', { summary: 'Show one erasure.' }),
};

async function* record({ call }: Session): AsyncGenerator<AnswerOf<'getErasure'>> {
  for (let page = 1; ; page += 1) {
    const { data, pagination } = await call('listErasures', { query: { page, page_size: 100 } });
    yield* data;
    if (page >= pagination.total_pages) return;
  }
}

/** Reads a line of an exported record. Returns only the part that is needed to repeat the erasure. */
function entryOf(line: string, number: number): { userId?: string; before?: string; finished: boolean } {
  const { user_id: userId, before, finished_at: finishedAt } = fieldsOf(parseJson(line));
  const finished = finishedAt !== undefined;
  if (typeof userId === 'string') return { userId, finished };
  if (typeof before === 'string') return { before, finished };
  throw wrongUsage(`Line ${number} is not an entry of "malote erasures export".`);
}

async function readEntries(file: string, { terminal }: Session) {
  const input = file === '-' ? terminal.stdin : createReadStream(file);
  const entries: ReturnType<typeof entryOf>[] = [];
  let number = 0;
  try {
    for await (const line of createInterface({ input })) {
      number += 1;
      if (line.trim() !== '') entries.push(entryOf(line, number));
    }
  } catch (error) {
    throwUnreadable(error);
  }
  return entries;
}

/**
 * Deletes the user again, and erases the user again if that had been done before. Returns false if the user does not
 * exist or is already deleted, so nothing was needed.
 */
async function reapplyUser({ call }: Session, id: string, finished: boolean): Promise<boolean> {
  const deleted = await orAbsent(call('deleteUser', { path: { id } }).then(() => true));
  const done = finished ? await orAbsent(call('eraseUser', { path: { id } }).then(() => true)) : deleted;
  return done === true;
}

export const erasureRecord = {
  export: command({
    usage: 'erasures export',
    summary: 'Print the whole record, one JSON a line: keep it beside the backups.',
    example: '> erasures.ndjson',
    run: async (session) => {
      for await (const entry of record(session)) session.terminal.stdout.write(`${visibleJson(entry)}\n`);
    },
  }),

  reapply: command({
    usage: 'erasures reapply',
    summary: 'After a database was restored: delete and erase again what an exported record names.',
    example: '--file erasures.ndjson',
    options: { file: required(option('--file <path>', 'what "malote erasures export" printed; - is standard input')) },
    run: async (session, { file }) => {
      const entries = await readEntries(file, session);
      const summary = { users: 0, refused: 0 };
      for (const { userId, finished } of entries) {
        if (userId === undefined) continue;
        try {
          if (await reapplyUser(session, userId, finished)) summary.users += 1;
        } catch (error) {
          if (!(error instanceof RefusedError)) throw error;
          summary.refused += 1;
          session.terminal.stderr.write(`${visible(`${userId}: ${error.message}`)}\n`);
        }
      }
      // The latest time includes all earlier ones.
      const before = entries
        .flatMap((entry) => entry.before ?? [])
        .sort()
        .at(-1);
      if (before !== undefined) await session.call('eraseRecipients', { body: { before, dry_run: false } });
      session.print.record(summary);
      if (summary.refused > 0) throw new CommandError(`${summary.refused} users were refused.`, 1);
    },
  }),
};
