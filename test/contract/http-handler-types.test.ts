import { expect, test } from '@jest/globals';
import type { Handler, Handlers, Input } from '../../src/http/handler.js';
import type { operations, routes } from './http-notes-contract.js';

// Checked by the compiler, beside what test/contract/openapi-snippets.ts tries of each operation: an expected error
// that stops being one fails `npm run typecheck`.
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
// @ts-expect-error a refusal is thrown, not returned
const refusal: On<'getNote'> = async () => ({ status: 404, body: { error: { code: 'NOT_FOUND' } } });
// @ts-expect-error a public operation has no actor
const noActor: On<'ping'> = async ({ ctx }) => ({ status: 200, body: { ok: ctx.actor.role === 'operator' } });
// @ts-expect-error an optional body may be missing
const optionalBody: On<'updateNote'> = async ({ body: { title } }) => ({ status: 200, body: { ...note, title } });

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
  const wrong = [wrongBody, unnamed, refusal, noActor, optionalBody, extra];
  expect([...fitting, ...wrong]).toHaveLength(10);
});
