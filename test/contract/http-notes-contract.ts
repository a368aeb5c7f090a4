/** A small contract of these tests' own, with every extension that the machinery reads. */

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const answer = (schema: string) => ({
  description: 'The answer.',
  ...json({ $ref: `#/components/schemas/${schema}` }),
});
const anyObject = { type: 'object' };
const fails = { '4XX': answer('Error'), '5XX': answer('Error') };
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const parameters = (...names: string[]) => names.map((name) => ref('parameters', name));
/** Responses of an operation that answers a schema. */
const answers = (schema: string, status = '200') => ({ [status]: answer(schema), ...fails });

export const spec = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1.0.0' },
  servers: [{ url: '/' }],
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: parameters('Page', 'PageSize', 'Search', 'Since', 'Kind'),
        responses: answers('NoteList'),
      },
      post: {
        operationId: 'createNote',
        'x-idempotent': true,
        parameters: parameters('IdempotencyKey'),
        requestBody: { required: true, ...json(ref('schemas', 'NoteInput')) },
        responses: answers('Note', '201'),
      },
    },
    '/notes/mine': { get: { operationId: 'getMine', responses: answers('Note') } },
    '/notes/{id}': {
      parameters: parameters('Id'),
      get: { operationId: 'getNote', responses: { '304': { description: 'Unchanged.' }, ...answers('Note') } },
      put: {
        operationId: 'updateNote',
        parameters: parameters('IfMatch'),
        requestBody: ref('requestBodies', 'Change'),
        responses: answers('Note'),
      },
      delete: {
        operationId: 'deleteNote',
        'x-roles': ['operator'],
        responses: { '204': { description: 'Gone.' }, ...fails },
      },
    },
    '/notes/{id}/copy': {
      post: {
        operationId: 'copyNote',
        'x-idempotent': true,
        parameters: parameters('Id'),
        responses: answers('Note', '201'),
      },
    },
    '/sign-in': {
      post: {
        operationId: 'signIn',
        security: [],
        requestBody: { required: true, ...json(ref('schemas', 'SignIn')) },
        responses: answers('Token'),
      },
    },
    '/ping': {
      get: { operationId: 'ping', security: [], deprecated: true, responses: answers('Pong') },
    },
    '/page': {
      get: {
        operationId: 'page',
        security: [],
        'x-static': true,
        responses: { '200': { description: 'A page.', content: { 'text/html': { schema: text(10) } } } },
      },
    },
  },
  components: {
    parameters: {
      Id: { name: 'id', in: 'path', required: true, schema: { type: 'string', format: 'uuid' } },
      Page: { name: 'page', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 1000, default: 1 } },
      PageSize: { name: 'page_size', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100, default: 20 } },
      Search: { name: 'search', in: 'query', schema: text(50) },
      Since: { name: 'since', in: 'query', schema: { type: 'string', format: 'date-time', maxLength: 40 } },
      Kind: { name: 'kind', in: 'query', schema: { type: 'string', enum: ['plain', 'rich'] } },
      IdempotencyKey: {
        name: 'Idempotency-Key',
        in: 'header',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[!-~]+$' },
      },
      IfMatch: { name: 'If-Match', in: 'header', schema: { type: 'string', maxLength: 100 } },
    },
    requestBodies: { Change: json(ref('schemas', 'NoteChange')) },
    schemas: {
      Note: {
        type: 'object',
        additionalProperties: false,
        required: ['id', 'title'],
        properties: {
          id: { type: 'string', format: 'uuid' },
          title: text(255),
          received: { type: 'object', additionalProperties: true },
        },
      },
      NoteInput: {
        type: 'object',
        additionalProperties: false,
        required: ['title', 'size'],
        oneOf: [{ required: ['due_at'] }, { required: ['repeats'] }],
        properties: {
          title: text(255),
          size: { type: 'integer', minimum: 1, maximum: 10 },
          price: { type: 'string', pattern: '^[0-9]{1,9}\\.[0-9]{2}$', maxLength: 12 },
          due_at: { type: 'string', format: 'date-time', maxLength: 40 },
          repeats: { type: 'integer', minimum: 0, maximum: 9 },
          lines: {
            type: 'array',
            minItems: 1,
            maxItems: 3,
            items: {
              type: 'object',
              additionalProperties: false,
              required: ['text'],
              properties: { text: { ...text(20), format: 'text' }, owner_id: { type: 'string', format: 'uuid' } },
            },
          },
        },
      },
      NoteChange: { type: 'object', additionalProperties: false, properties: { title: text(255) } },
      NoteList: {
        type: 'object',
        required: ['data', 'pagination'],
        properties: { data: { type: 'array', items: ref('schemas', 'Note') }, pagination: anyObject },
      },
      SignIn: {
        type: 'object',
        additionalProperties: false,
        required: ['password'],
        properties: { password: { type: 'string', format: 'password', minLength: 1, maxLength: 128 } },
      },
      Token: { type: 'object', required: ['token'], properties: { token: text(100) } },
      Pong: { type: 'object', additionalProperties: false, required: ['ok'], properties: { ok: { type: 'boolean' } } },
      Error: { type: 'object', additionalProperties: false, required: ['error'], properties: { error: anyObject } },
    },
  },
};

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
