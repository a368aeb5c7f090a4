interface Headers {
  [name: string]: unknown;
}
interface Answer<T> {
  headers: Headers;
  content: { 'application/json': T };
}
interface Empty {
  headers: Headers;
  content?: never;
}
interface ErrorBody {
  error: { code: string };
}
interface Note {
  id: string;
  title: string;
  received?: { [name: string]: unknown };
}
interface NoteInput {
  title: string;
  size: number;
  price?: string;
  due_at?: string;
  repeats?: number;
  lines?: { text: string; owner_id?: string }[];
}
interface NoteList {
  data: Note[];
  pagination: object;
}
interface ById {
  query?: never;
  header?: never;
  path: { id: string };
  cookie?: never;
}
interface Bare {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

/** The types that openapi-typescript makes of the contract. */
export interface operations {
  listNotes: {
    parameters: Omit<Bare, 'query'> & {
      query?: { page?: number; page_size?: number; search?: string; since?: string; kind?: 'plain' | 'rich' };
    };
    requestBody?: never;
    responses: { 200: Answer<NoteList>; '4XX': Answer<ErrorBody> };
  };
  createNote: {
    parameters: Omit<Bare, 'header'> & { header?: { 'Idempotency-Key'?: string } };
    requestBody: { content: { 'application/json': NoteInput } };
    responses: { 201: Answer<Note>; 400: Answer<ErrorBody> };
  };
  getMine: { parameters: Bare; requestBody?: never; responses: { 200: Answer<Note> } };
  getNote: {
    parameters: ById;
    requestBody?: never;
    responses: { 200: Answer<Note>; 304: Empty; 404: Answer<ErrorBody> };
  };
  updateNote: {
    parameters: Omit<ById, 'header'> & { header?: { 'If-Match'?: string } };
    requestBody?: { content: { 'application/json': { title?: string } } };
    responses: { 200: Answer<Note>; 412: Answer<ErrorBody> };
  };
  deleteNote: { parameters: ById; requestBody?: never; responses: { 204: Empty } };
  copyNote: { parameters: ById; requestBody?: never; responses: { 201: Answer<Note> } };
  signIn: {
    parameters: Bare;
    requestBody: { content: { 'application/json': { password: string } } };
    responses: { 200: Answer<{ token: string }> };
  };
  ping: { parameters: Bare; requestBody?: never; responses: { 200: Answer<{ ok: boolean }> } };
  page: {
    parameters: Bare;
    requestBody?: never;
    responses: { 200: { headers: Headers; content: { 'text/html': string } } };
  };
}
