import { expect, test } from '@jest/globals';
import type { Handler, Handlers, Input } from '../../src/http/handler.js';
import type { operations, routes } from './http-notes-contract.js';

// Checked by the compiler: an expected error that stops being one fails `npm run typecheck`.
type Routes = typeof routes;
type On<Id extends keyof operations> = Handler<operations, Routes, Id>;
type In<Id extends keyof operations> = Input<operations, Routes, Id>;

const note = { id: '1', title: 'x', received: undefined };

const right: On<'getNote'> = async ({ params }) => ({ status: 200, body: { ...note, id: params.id } });
const gone: On<'deleteNote'> = async () => ({ status: 204 });
const twoStages: On<'createNote'> =
  async ({ body }) =>
  async (db) => ({ status: 201, body: { id: String(db.isTransaction), title: body.title, received: undefined } });

// @ts-expect-error a field of the body is missing
const wrongBody: On<'getNote'> = async () => ({ status: 200, body: { id: '1', received: undefined } });
// @ts-expect-error an optional field of the body is not named
const unnamed: On<'getNote'> = async () => ({ status: 200, body: { id: '1', title: 'x' } });
// @ts-expect-error the status is not documented
const undocumented: On<'getNote'> = async () => ({ status: 202, body: note });
// @ts-expect-error a refusal is thrown, not returned
const refusal: On<'getNote'> = async () => ({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
// @ts-expect-error 204 has no body
const bodyOn204: On<'deleteNote'> = async () => ({ status: 204, body: note });
// @ts-expect-error the operation has no such parameter
const unknownParameter: On<'getNote'> = async ({ params }) => ({ status: 200, body: { ...note, id: params.key } });
// @ts-expect-error the operation has no query
const unknownQuery: On<'getNote'> = async ({ query }) => ({ status: 200, body: { ...note, id: query.page } });
// @ts-expect-error an idempotent operation has two stages
const oneStage: On<'createNote'> = async () => ({ status: 201, body: note });
interface Audited {
  deleteNote: { method: 'delete'; path: '/notes/{id}'; security: 'bearer'; idempotent: false; audited: true };
}
// @ts-expect-error an audited operation has two stages
const unaudited: Handler<operations, Audited, 'deleteNote'> = async () => ({ status: 204 });
// @ts-expect-error a public operation has no actor
const noActor: On<'ping'> = async ({ ctx }) => ({ status: 200, body: { ok: ctx.actor.role === 'operator' } });
// @ts-expect-error an optional body may be missing
const optionalBody: On<'updateNote'> = async ({ body: { title } }) => ({ status: 200, body: { ...note, title } });

declare const some: Omit<Handlers<operations, Routes>, 'getNote'>;
// @ts-expect-error a handler is missing
const missing = (): Handlers<operations, Routes> => some;

const extra = (handlers: Handlers<operations, Routes>) => {
  // @ts-expect-error a static operation has no handler
  return handlers.page;
};

const typed = (input: In<'listNotes'>): [number | undefined, 'operator' | 'customer'] => [
  input.query.page,
  input.ctx.actor.role,
];

test('handlers are typed by the contract', () => {
  const fitting = [right, gone, twoStages, typed];
  const wrong = [wrongBody, unnamed, undocumented, refusal, bodyOn204, unknownParameter, unknownQuery];
  const more = [oneStage, unaudited, noActor, optionalBody, missing, extra];
  expect([...fitting, ...wrong, ...more]).toHaveLength(17);
});
