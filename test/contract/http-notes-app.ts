import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect as openSocket } from 'node:net';
import { PassThrough } from 'node:stream';
import { afterAll } from '@jest/globals';
import type { Express } from 'express';
import type { Actor } from '../../src/base/actor.js';
import { conflict, invalid, preconditionFailed } from '../../src/base/errors.js';
import { newId } from '../../src/base/ids.js';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { connect, type Db } from '../../src/db/connect.js';
import { createBulkhead } from '../../src/http/bulkhead.js';
import { etagOf } from '../../src/http/conditional.js';
import { contractRouter } from '../../src/http/contract-router.js';
import { errorHandler, unknownPath } from '../../src/http/errors.js';
import type { Handlers } from '../../src/http/handler.js';
import { createLimits, type LimitConfig } from '../../src/http/limits/rate-limit.js';
import { listReply } from '../../src/http/paging.js';
import { expressApp } from '../../src/http/server/express-app.js';
import { createServer } from '../../src/http/server/http-server.js';
import { answerCheck } from '../support/answer-check.js';
import { type operations, routes, spec } from './http-notes-contract.js';

export const ID = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';

export const keys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);

type NoteHandlers = Handlers<operations, typeof routes>;

export interface NotesAppOptions {
  readonly db?: Db;
  readonly handlers?: Partial<NoteHandlers>;
  readonly actors?: Readonly<Record<string, Actor>>;
  readonly limits?: Partial<LimitConfig>;
  readonly trustProxy?: false | number;
  readonly validateResponses?: boolean;
}

export const customer: Actor = { accountId: '01930f5e-0000-7000-8000-000000000001', role: 'customer' };
export const operator: Actor = { accountId: '01930f5e-0000-7000-8000-000000000002', role: 'operator' };

const note = (received: Record<string, unknown>) => ({ id: ID, title: 'A note', received });

const handlers: NoteHandlers = {
  listNotes: ({ query }) => listReply(query, async () => ({ rows: [{ ...query }], total: 41 }), note),
  createNote: async ({ body }) => {
    if (body.title === 'unplaceable')
      throw invalid([{ field: 'lines.0.ownerId', code: 'not_found', message: 'is nobody' }]);
    return async () => {
      if (body.title === 'taken') throw conflict('sku_taken', 'Taken.');
      const reply = { id: newId(), title: body.title, received: { ...body } };
      return { status: 201, body: reply, headers: { Location: `/notes/${reply.id}`, ETag: etagOf(1) } };
    };
  },
  getMine: async ({ ctx }) => ({ status: 200, body: note({ ...ctx.actor }) }),
  getNote: async ({ params }) => ({ status: 200, body: note({ ...params }), headers: { ETag: etagOf(3) } }),
  updateNote: async ({ body, ctx }) => {
    if (ctx.ifMatch && !ctx.ifMatch.includes(3)) throw preconditionFailed();
    return { status: 200, body: note({ body: body ?? null }), headers: { ETag: etagOf(4) } };
  },
  deleteNote: async () => ({ status: 204 }),
  copyNote:
    async ({ params }) =>
    async () => ({ status: 201, body: note({ ...params }) }),
  signIn: async ({ ctx }) => ({ status: 200, body: { token: ctx.ip } }),
  ping: async () => ({ status: 200, body: { ok: true } }),
};

/** A missing database: nothing listens on this port. */
function deadDb(): Db {
  const log = createLog({ level: 'silent' });
  return connect({ url: 'postgres://nobody@127.0.0.1:1/none', poolSize: 1, applicationName: 'test', log });
}

/** A server of this test file, closed after its tests. */
export async function serverOf(app: Express): Promise<Server> {
  const server = createServer(app).listen(0);
  afterAll(() => new Promise((resolve) => server.close(resolve)));
  await once(server, 'listening');
  return server;
}

/** The dependencies of a router that accepts no credentials and has no limits. */
export const surroundings = (log: ReturnType<typeof createLog>, db = deadDb()) => ({
  db,
  log,
  interfaceName: 'rest',
  keys,
  recordAudit: async () => undefined,
  accountOfRecord: async () => undefined,
  bulkhead: createBulkhead({ connections: 1, waitMs: 1_000, log }),
  authenticate: () => undefined,
  demandFactor: () => undefined,
  limits: createLimits({ publicPerHour: 0, accountPerHour: 0, operatorPerHour: 0 }),
  answerCheck,
});

/** An application that serves the notes contract, and the lines that it logged. */
export function notesApp(options: NotesAppOptions = {}): { app: Express; lines: () => Record<string, unknown>[] } {
  const { actors = { customer, operator }, trustProxy = false, validateResponses = true } = options;
  const sink = new PassThrough();
  const log = createLog({ level: 'info', destination: sink });
  const app = expressApp({ trustProxy, log });
  const limits = createLimits({ publicPerHour: 1000, accountPerHour: 1000, operatorPerHour: 0, ...options.limits });
  app.use(
    contractRouter<operations, typeof routes>({
      ...surroundings(log, options.db),
      spec,
      routes,
      handlers: { ...handlers, ...options.handlers },
      authenticate: (token) => actors[token],
      limits,
      ...(validateResponses ? {} : { answerCheck: undefined }),
    }),
  );
  app.use(unknownPath, errorHandler(log));
  const lines = () =>
    String(sink.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  return { app, lines };
}

/** A connection that sends the head of a change of a note by hand, then the given parts. */
export async function changeByHand(
  server: Server,
  token: string,
  headers: string,
  parts: readonly (string | Buffer)[],
) {
  const { port } = Object(server.address());
  const socket = openSocket({ port, allowHalfOpen: true });
  await once(socket, 'connect');
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString();
  });
  socket.on('error', () => undefined);
  const head = `PUT /notes/${ID} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAuthorization: Bearer ${token}\r\n`;
  socket.write(`${head}${headers}\r\n`);
  for (const part of parts) socket.write(part);
  return { socket, answer: () => answer };
}
