import type { Readable } from 'node:stream';
import type { Actor } from '../base/actor.js';
import type { EveryKey } from '../base/every-key.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Origin } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import type { JointWrite } from '../idempotency/once.js';
import type { Route } from '../validation/operation.js';
import type { JsonStream } from './json-stream.js';

/** Types of handlers. `Ops` is the `operations` type of openapi-typescript, `Routes` the route table. */

/** The context of a request. It has an `actor` exactly if the contract demands a token. */
export interface Context<Security extends Route['security'] = Route['security']> {
  readonly actor: Security extends 'bearer' ? Actor : undefined;
  readonly requestId: string;
  readonly origin: Origin;
  /** The header `Authorization`, for an operation that authenticates by itself. */
  readonly authorization: string | undefined;
  /** Address of the client. It is taken from proxy headers only if the proxies are trusted. */
  readonly ip: string;
  readonly log: Logger;
  /** The connection pool. The second stage of an idempotent handler gets its transaction instead. */
  readonly db: Db;
  /** The media type that the client prefers, out of those that the operation has. */
  readonly mediaType: string | undefined;
  /** The versions in `If-Match`. Undefined if any version is right. */
  readonly ifMatch: readonly number[] | undefined;
  /** The version that the client already has. The handler may then answer 304 with its ETag. */
  readonly knownVersion: number | undefined;
  /** Aborted if the client leaves before its answer. */
  readonly signal: AbortSignal;
  /** Runs `work` after the commit of the handler's writes, and before the answer is sent. */
  readonly afterCommit: (work: () => Promise<unknown>) => void;
}

type Nothing = Record<never, never>;
type Present<T> = [Exclude<T, undefined>] extends [never] ? Nothing : Exclude<T, undefined>;

type Params<Op> = Op extends { parameters: { path?: infer P } } ? Present<P> : Nothing;
type Query<Op> = Op extends { parameters: { query?: infer Q } } ? Present<Q> : Nothing;

/** The filters of a list: its query parameters without paging. */
export type FiltersOf<Op> = Omit<Query<Op>, 'page' | 'page_size'>;

export interface SentBytes<Type extends string = string> {
  readonly type: Type;
  readonly bytes: Buffer;
}

type Sent<Content> = Content extends { content: { 'application/json': infer B } }
  ? B
  : Content extends { content: infer Types }
    ? SentBytes<keyof Types & string>
    : never;
type Body<Op> = Op extends { requestBody: infer R }
  ? Sent<R>
  : Op extends { requestBody?: infer R }
    ? Sent<Exclude<R, undefined>> | undefined
    : undefined;

export interface Input<Ops, Routes, Id extends keyof Ops & keyof Routes> {
  readonly params: Params<Ops[Id]>;
  readonly query: Query<Ops[Id]>;
  readonly body: Body<Ops[Id]>;
  readonly ctx: Context<Routes[Id] extends { security: infer S extends Route['security'] } ? S : never>;
}

type Success = 200 | 201 | 202 | 203 | 204 | 205 | 206 | 304;

type Bytes = Buffer | Readable;

type BodyAs<Content, Type extends keyof Content> = Type extends 'application/json'
  ? { readonly type?: never; readonly body: EveryKey<Content[Type]> | JsonStream<EveryKey<Content[Type]>> }
  : { readonly type: Type; readonly body: Bytes };
type Payload<Response> = Response extends { content: infer C extends object }
  ? { [Type in keyof C]: BodyAs<C, Type> }[keyof C]
  : { readonly type?: never; readonly body?: never };
type ReplyAt<Responses, Status extends keyof Responses> = {
  readonly status: Status;
  readonly headers?: Readonly<Record<string, string>>;
  /** The person behind a request without a token. The audit log needs it. */
  readonly actor?: Actor;
} & Payload<Responses[Status]>;

/** One of the documented 2xx answers, or 304. Other answers are thrown as `ServiceError`. */
type Reply<Ops, Id extends keyof Ops> = Ops[Id] extends { responses: infer R }
  ? { [Status in keyof R & Success]: ReplyAt<R, Status> }[keyof R & Success]
  : never;

/** Replies with a JSON body. Only these can be stored. */
type JsonReply<Ops, Id extends keyof Ops> = Extract<Reply<Ops, Id>, { readonly type?: never }>;

/**
 * Handles one operation. An idempotent or audited operation has two stages. The first decides outside any transaction.
 * The returned function writes in the transaction that also stores the answer and the audit entry.
 */
export type Handler<Ops, Routes, Id extends keyof Ops & keyof Routes> = (
  input: Input<Ops, Routes, Id>,
) => Promise<
  Routes[Id] extends { idempotent: true }
    ? ((db: Db) => Promise<JsonReply<Ops, Id>>) | JointWrite<JsonReply<Ops, Id>>
    : Routes[Id] extends { audited: true }
      ? (db: Db) => Promise<JsonReply<Ops, Id>>
      : Reply<Ops, Id>
>;

type Answered<Ops, Routes> = {
  [Id in keyof Ops & keyof Routes]: Routes[Id] extends { static: true } ? never : Id;
}[keyof Ops & keyof Routes];

export type Handlers<Ops, Routes> = { readonly [Id in Answered<Ops, Routes>]: Handler<Ops, Routes, Id> };

export interface RawReply {
  readonly status: number;
  /** Media type of a body of bytes. Without it, the body is JSON. */
  readonly type?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly actor?: Actor;
}

export interface RawInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
  readonly ctx: Context;
}

export type RawStage = ((db: Db) => Promise<RawReply>) | JointWrite<RawReply>;

/**
 * A handler of an operation that is known only at run time. Method syntax makes its input bivariant, which is safe
 * because the input is validated.
 */
export type RawHandler = { handle(input: RawInput): Promise<RawReply | RawStage> }['handle'];
