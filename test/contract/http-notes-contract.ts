import { readFileSync } from 'node:fs';
import { parse } from 'yaml';

/** The contract of these tests, and the types that codegen would make of it. */
export const spec: object = parse(readFileSync(new URL('http-notes.openapi.yaml', import.meta.url), 'utf8'));

const guarded = { security: 'bearer', idempotent: false } as const;
const open = { security: 'none', idempotent: false } as const;
const end = { deprecatedAt: '2026-01-01', sunset: '2027-01-01T00:00:00Z' };

export const routes = {
  listNotes: { method: 'get', path: '/notes', ...guarded },
  createNote: { method: 'post', path: '/notes', ...guarded, idempotent: true, maxBody: 4096 },
  getMine: { method: 'get', path: '/notes/mine', ...guarded },
  getNote: { method: 'get', path: '/notes/{id}', ...guarded },
  updateNote: { method: 'put', path: '/notes/{id}', ...guarded },
  deleteNote: { method: 'delete', path: '/notes/{id}', ...guarded, roles: ['operator'] },
  copyNote: { method: 'post', path: '/notes/{id}/copy', ...guarded, idempotent: true },
  signIn: { method: 'post', path: '/sign-in', ...open },
  ping: { method: 'get', path: '/ping', ...open, ...end },
  page: { method: 'get', path: '/page', ...open, static: true },
} as const;

type Headers = { [name: string]: unknown };
interface Answer<T, Type extends string = 'application/json'> {
  headers: Headers;
  content: { [Each in Type]: T };
}
type Empty = { headers: Headers; content?: never };
type ErrorBody = Answer<{ error: { code: string } }>;
type Note = { id: string; title: string; received?: { [name: string]: unknown } };
interface NoteInput {
  title: string;
  size: number;
  price?: string;
  due_at?: string;
  repeats?: number;
  lines?: { text: string; owner_id?: string }[];
}
interface Nothing {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}
interface Operation<Responses, Own = Nothing, Body = never> {
  parameters: Omit<Nothing, keyof Own> & Own;
  requestBody?: Body;
  responses: Responses;
}
type Taking<Body, Responses, Own = Nothing> = Omit<Operation<Responses, Own>, 'requestBody'> & {
  requestBody: { content: { 'application/json': Body } };
};
type ById = { path: { id: string } };
type NoteQuery = { page?: number; page_size?: number; search?: string; since?: string; kind?: 'plain' | 'rich' };

/** The types that openapi-typescript makes of the contract. */
export interface operations {
  listNotes: Operation<{ 200: Answer<{ data: Note[]; pagination: object }>; '4XX': ErrorBody }, { query?: NoteQuery }>;
  createNote: Taking<NoteInput, { 201: Answer<Note>; 400: ErrorBody }, { header?: { 'Idempotency-Key'?: string } }>;
  getMine: Operation<{ 200: Answer<Note> }>;
  getNote: Operation<{ 200: Answer<Note>; 304: Empty; 404: ErrorBody }, ById>;
  updateNote: Operation<
    { 200: Answer<Note>; 412: ErrorBody },
    ById & { header?: { 'If-Match'?: string } },
    { content: { 'application/json': { title?: string } } }
  >;
  deleteNote: Operation<{ 204: Empty }, ById>;
  copyNote: Operation<{ 201: Answer<Note> }, ById>;
  signIn: Taking<{ password: string }, { 200: Answer<{ token: string }> }>;
  ping: Operation<{ 200: Answer<{ ok: boolean }> }>;
  page: Operation<{ 200: Answer<string, 'text/html'> }>;
}
