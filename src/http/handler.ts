import type { Readable } from 'node:stream';
import type { Actor } from '../base/actor.js';
import type { EveryKey } from '../base/every-key.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Origin } from '../base/telemetry/tracing.js';
import type { Db } from '../db/connect.js';
import type { JointWrite } from '../idempotency/once.js';
import type { Route } from '../validation/operation.js';
import type { JsonStream } from './json-stream.js';

/** Types of handlers, of `Ops`, the `operations` of openapi-typescript, and `Routes`, the route table. */

/** The surroundings of a request. `actor` is there exactly where the contract demands a token. */
export interface Context<Security extends Route['security'] = Route['security']> {
  readonly actor: Security extends 'bearer' ? Actor : undefined;
  readonly requestId: string;
  readonly origin: Origin;
  /** `Authorization`, for an operation that authenticates by itself. */
  readonly authorization: string | undefined;
  /** Address of the client, as far as the proxies in front are trusted. */
  readonly ip: string;
  readonly log: Logger;
  /** The pool; an idempotent handler gets its transaction in the second stage. */
  readonly db: Db;
  /** The media type of the answer that the client would rather have, of those that the operation has. */
  readonly mediaType: string | undefined;
  /** Versions named by `If-Match`; undefined when any version will do. */
  readonly ifMatch: readonly number[] | undefined;
  /** The version that the client says it has: a reply of 304 with its ETag is enough. */
  readonly knownVersion: number | undefined;
  /** Aborted when the client goes away before its answer. */
  readonly signal: AbortSignal;
  /** Runs `work` once the handler's writes are committed, before the answer is sent. */
  readonly afterCommit: (work: () => Promise<unknown>) => void;
}

type Nothing = Record<never, never>;
type Present<T> = [Exclude<T, undefined>] extends [never] ? Nothing : Exclude<T, undefined>;

type Params<Op> = Op extends { parameters: { path?: infer P } } ? Present<P> : Nothing;
type Query<Op> = Op extends { parameters: { query?: infer Q } } ? Present<Q> : Nothing;

/** The filters of a list: its query without the page. */
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
  /** The person behind a request without a token, for the audit log. */
  readonly actor?: Actor;
} & Payload<Responses[Status]>;

/** A union over the documented 2xx answers, and 304. Every other answer is a thrown `ServiceError`. */
type Reply<Ops, Id extends keyof Ops> = Ops[Id] extends { responses: infer R }
  ? { [Status in keyof R & Success]: ReplyAt<R, Status> }[keyof R & Success]
  : never;

/** Stored answers are JSON. */
type JsonReply<Ops, Id extends keyof Ops> = Extract<Reply<Ops, Id>, { readonly type?: never }>;

/**
 * Answers one operation. An idempotent or audited one has two stages: the first decides outside any transaction, the
 * function that it returns writes inside the one that also stores the answer and the audit log's entry.
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
  /** Media type of bytes; a body without it is JSON. */
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

/** A handler whose operation is known at run time only. Method syntax makes its input bivariant: it is validated. */
export type RawHandler = { handle(input: RawInput): Promise<RawReply | RawStage> }['handle'];
