import { expect, test } from '@jest/globals';
import type { RootResolvers } from '../../generated/graphql.js';
import type { operations as operatorOperations } from '../../generated/operator.js';
import type { routes as operatorRoutes } from '../../generated/operator.routes.js';
import type { operations as restOperations } from '../../generated/rest.js';
import type { routes as restRoutes } from '../../generated/rest.routes.js';
import type { Handler, Handlers, Input } from '../../src/http/handler.js';
import type { operations, routes } from './http-notes-contract.js';

// The compiler checks these: `npm run typecheck` fails if an expected error is missing.
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

// @ts-expect-error an idempotent operation has two stages
const oneStage: On<'createNote'> = async ({ body }) => ({ status: 201, body: { ...note, title: body.title } });
// @ts-expect-error any other operation has one stage
const stageTooMany: On<'getNote'> = async () => async () => ({ status: 200, body: note });
// @ts-expect-error the path has no parameter of this name
const noParameter: On<'getNote'> = async ({ params }) => ({ status: 200, body: { ...note, id: params.nothing } });
// @ts-expect-error an operation has no handler
const missing = (handlers: Omit<Handlers<operations, Routes>, 'ping'>): Handlers<operations, Routes> => handlers;

const extra = (handlers: Handlers<operations, Routes>) => {
  // @ts-expect-error a static operation has no handler
  return handlers.page;
};

const typed = (input: In<'listNotes'>): [number | undefined, 'operator' | 'customer'] => [
  input.query.page,
  input.ctx.actor.role,
];

type Rest = Handlers<restOperations, typeof restRoutes>;
type Operator = Handlers<operatorOperations, typeof operatorRoutes>;
type Resolvers = RootResolvers['Query'] & RootResolvers['Mutation'];
/** The names of members that accept `Wrong`, or may be left out. */
type Accepting<All, Wrong> = { [Name in keyof All]: Wrong extends All[Name] ? Name : never }[keyof All];
type None<Names extends never> = Names;
type Undocumented = () => Promise<{ status: 299; body: 7 }>;

const undocumented: None<
  | Accepting<Rest, Undocumented>
  | Accepting<Rest, undefined>
  | Accepting<Operator, Undocumented>
  | Accepting<Operator, undefined>
  | Accepting<Resolvers, () => Promise<{ nothing: true }>>
  | Accepting<Resolvers, undefined>
>[] = [];

test('handlers are typed by the contract', () => {
  const fitting = [right, gone, twoStages, typed];
  const wrong = [
    wrongBody,
    unnamed,
    refusal,
    noActor,
    optionalBody,
    oneStage,
    stageTooMany,
    noParameter,
    missing,
    extra,
    ...undocumented,
  ];
  expect([...fitting, ...wrong]).toHaveLength(14);
});
