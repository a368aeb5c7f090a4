/** A small contract of these tests' own, with every extension that the machinery reads. */

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const answer = (schema: string) => ({
  description: 'The answer.',
  ...json({ $ref: `#/components/schemas/${schema}` }),
});
const fails = { '4XX': answer('Error'), '5XX': answer('Error') };
const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });
const id = ref('parameters', 'Id');

export const spec = {
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1.0.0' },
  servers: [{ url: '/' }],
  paths: {
    '/notes': {
      get: {
        operationId: 'listNotes',
        parameters: [
          ref('parameters', 'Page'),
          ref('parameters', 'PageSize'),
          ref('parameters', 'Search'),
          ref('parameters', 'Since'),
          ref('parameters', 'Kind'),
        ],
        responses: { '200': answer('NoteList'), ...fails },
      },
      post: {
        operationId: 'createNote',
        'x-idempotent': true,
        parameters: [ref('parameters', 'IdempotencyKey')],
        requestBody: { required: true, ...json(ref('schemas', 'NoteInput')) },
        responses: { '201': answer('Note'), ...fails },
      },
    },
    '/notes/mine': { get: { operationId: 'getMine', responses: { '200': answer('Note'), ...fails } } },
    '/notes/{id}': {
      parameters: [id],
      get: {
        operationId: 'getNote',
        responses: { '200': answer('Note'), '304': { description: 'Unchanged.' }, ...fails },
      },
      put: {
        operationId: 'updateNote',
        parameters: [ref('parameters', 'IfMatch')],
        requestBody: ref('requestBodies', 'Change'),
        responses: { '200': answer('Note'), ...fails },
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
        parameters: [id],
        responses: { '201': answer('Note'), ...fails },
      },
    },
    '/sign-in': {
      post: {
        operationId: 'signIn',
        security: [],
        requestBody: { required: true, ...json(ref('schemas', 'SignIn')) },
        responses: { '200': answer('Token'), ...fails },
      },
    },
    '/ping': {
      get: { operationId: 'ping', security: [], deprecated: true, responses: { '200': answer('Pong'), ...fails } },
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
        properties: { data: { type: 'array', items: ref('schemas', 'Note') }, pagination: { type: 'object' } },
      },
      SignIn: {
        type: 'object',
        additionalProperties: false,
        required: ['password'],
        properties: { password: { type: 'string', format: 'password', minLength: 1, maxLength: 128 } },
      },
      Token: { type: 'object', required: ['token'], properties: { token: text(100) } },
      Pong: { type: 'object', additionalProperties: false, required: ['ok'], properties: { ok: { type: 'boolean' } } },
      Error: {
        type: 'object',
        additionalProperties: false,
        required: ['error'],
        properties: { error: { type: 'object' } },
      },
    },
  },
};

export const routes = {
  listNotes: { method: 'get', path: '/notes', security: 'bearer', idempotent: false },
  createNote: { method: 'post', path: '/notes', security: 'bearer', idempotent: true, maxBody: 4096 },
  getMine: { method: 'get', path: '/notes/mine', security: 'bearer', idempotent: false },
  getNote: { method: 'get', path: '/notes/{id}', security: 'bearer', idempotent: false },
  updateNote: { method: 'put', path: '/notes/{id}', security: 'bearer', idempotent: false },
  deleteNote: { method: 'delete', path: '/notes/{id}', security: 'bearer', idempotent: false, roles: ['operator'] },
  copyNote: { method: 'post', path: '/notes/{id}/copy', security: 'bearer', idempotent: true },
  signIn: { method: 'post', path: '/sign-in', security: 'none', idempotent: false },
  ping: {
    method: 'get',
    path: '/ping',
    security: 'none',
    idempotent: false,
    deprecatedAt: '2026-01-01',
    sunset: '2027-01-01T00:00:00Z',
  },
  page: { method: 'get', path: '/page', security: 'none', idempotent: false, static: true },
} as const;
