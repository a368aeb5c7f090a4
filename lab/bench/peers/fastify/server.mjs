/**
 * GET /api/v1/orders/{id} and GET /api/v1/orders, written by hand on fastify with care: the contract's schemas for
 * parameters and answers, JWT, a limit in memory, one query through pg, request id, ETag and one log line per request.
 * Its answers equal the service's. Its list supports only the parameters for paging.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import jwt from '@fastify/jwt';
import rateLimit from '@fastify/rate-limit';
import Fastify from 'fastify';
import pg from 'pg';

const { JWT_KEYS = '', DATABASE_URL, LOG_LEVEL = 'info', RATE_LIMIT_ACCOUNT_PER_HOUR } = process.env;
const secret = Buffer.from(JWT_KEYS.split(',')[0].split(':')[1], 'base64url');
const contract = JSON.parse(readFileSync(new URL('../../../../generated/rest.openapi.json', import.meta.url), 'utf8'));
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

/** A schema of the contract without references and without notation that only OpenAPI 3.0 has. */
function schemaOf(node) {
  if (Array.isArray(node)) return node.map(schemaOf);
  if (typeof node !== 'object' || node === null) return node;
  if (node.$ref) return schemaOf(contract.components.schemas[node.$ref.split('/').at(-1)]);
  const { title, example, description, exclusiveMinimum, properties, ...rest } = node;
  const schema = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, schemaOf(value)]));
  if (!properties) return schema;
  const named = Object.entries(properties).map(([name, value]) => [name, schemaOf(value)]);
  return { ...schema, properties: Object.fromEntries(named) };
}

const ORDER = `
  select o.id, o.account_id, o.external_id, o.status, o.payment_method_id, o.rate_card_version, o.price_lines, o.total_centavos,
    o.service, o.distance_metres, o.distance_source, o.version, o.created_at, o.updated_at,
    (select json_agg(u order by u.position) from pickups u where u.order_id = o.id) as pickups,
    (select json_agg(f order by f.position) from (
      select p.*, s.name as status_name, s.description as status_description, s.final as status_final,
        s.stage as status_stage, m.reason_label, m.reason_description,
        m.agency_address, m.agency_city, m.agency_state, m.agency_postal_code,
        json_build_object('index', u.waypoint_index, 'eta', u.eta, 'leg', u.leg_metres) as pickup_waypoint
      from packages p
      join package_statuses s on s.code = p.status_code
      join movements m on m.id = p.current_movement_id
      join pickups u on u.order_id = p.order_id and u.position = p.pickup_position
      where p.order_id = o.id) f) as packages
  from orders o where o.id = $1 and ($2 or o.account_id = $3)`;

/** Reads the total from the database's tallies, because counting would compare databases. */
const pageOf = (condition, scope) => `
  with paged as (
    select id from orders where ${condition} order by created_at desc, id desc offset $2 limit $3
  ), listed as (
    select id, account_id, external_id, status, payment_method_id, total_centavos, pickup_count, package_count, created_at, updated_at
    from orders where id = any(array(select id from paged)))
  select
    (select coalesce(sum(created + processing + out_for_delivery + completed + cancelled), 0)
      from order_tallies where scope = ${scope} and hours = 336) as total,
    (select json_agg(listed order by created_at desc, id desc) from listed) as orders`;
const OWN_PAGE = pageOf('account_id = $1', '$1');
const WHOLE_PAGE = pageOf('$1::uuid is not null', "'00000000-0000-0000-0000-000000000000'");

const money = (centavos) => (Number(centavos) / 100).toFixed(2);
const time = (value) => new Date(value).toISOString();
const waypoint = (index, eta, leg) => ({ index, eta: time(eta), leg_distance: leg });
const optional = (name, value) => (value === null || value === undefined ? {} : { [name]: value });

const stop = (row) => ({
  address: { address: row.address, ...optional('complement', row.complement) },
  ...optional('instructions', row.instructions),
  resolved_address: {
    latitude: row.latitude,
    longitude: row.longitude,
    precision: row.precision,
    ...optional('accuracy_metres', row.accuracy_metres),
    ...optional('district', row.district),
    city: row.city,
    state: row.state,
    ...optional('postal_code', row.postal_code),
  },
  waypoint: waypoint(row.waypoint_index, row.eta, row.leg_metres),
});

const status = (row) => ({
  code: row.status_code,
  high_level_status: row.status_name,
  description: row.status_description,
  final: row.status_final,
  stage: row.status_stage,
  ...(row.reason_label === null
    ? {}
    : { action_required: { reason_label: row.reason_label, reason_description: row.reason_description } }),
  ...(row.agency_address === null
    ? {}
    : {
        pickup_agency: {
          address: row.agency_address,
          city: row.agency_city,
          state: row.agency_state,
          postal_code: row.agency_postal_code,
        },
      }),
  updated_at: time(row.status_since),
});

const parcel = (row) => ({
  loggi_key: row.loggi_key,
  tracking_code: row.tracking_code,
  barcode: row.barcode,
  pickup_index: row.pickup_position,
  recipient: { name: row.recipient_name, phone: row.recipient_phone, ...optional('tax_id', row.recipient_tax_id) },
  ...optional('fiscal_document', row.fiscal_kind && { kind: row.fiscal_kind, key: row.fiscal_key }),
  ...optional('declared_value', row.declared_centavos && money(row.declared_centavos)),
  ...optional('line_haul', row.line_haul_centavos && money(row.line_haul_centavos)),
  ...stop(row),
  dimensions: { width: row.width, height: row.height, length: row.length, weight: row.weight },
  pickup_waypoint: waypoint(row.pickup_waypoint.index, row.pickup_waypoint.eta, row.pickup_waypoint.leg),
  status: status(row),
  promised_date: row.promised_date,
});

const order = (row) => ({
  id: row.id,
  user_id: row.account_id,
  external_id: row.external_id,
  status: row.status,
  payment_method_id: row.payment_method_id,
  service: row.service,
  pricing: {
    total: money(row.total_centavos),
    rate_card_version: row.rate_card_version,
    lines: row.price_lines.map(({ kind, quantity, unitPrice, amount }) => ({
      kind,
      quantity,
      unit_price: money(unitPrice),
      amount: money(amount),
    })),
  },
  route: { distance: row.distance_metres, distance_source: row.distance_source },
  pickups: row.pickups.map(stop),
  packages: row.packages.map(parcel),
  created_at: time(row.created_at),
  updated_at: time(row.updated_at),
});

const summary = (row) => ({
  id: row.id,
  user_id: row.account_id,
  external_id: row.external_id,
  status: row.status,
  payment_method_id: row.payment_method_id,
  total: money(row.total_centavos),
  pickup_count: row.pickup_count,
  package_count: row.package_count,
  created_at: time(row.created_at),
  updated_at: time(row.updated_at),
});

const app = Fastify({ logger: { level: LOG_LEVEL }, disableRequestLogging: true, genReqId: () => randomUUID() });
await app.register(jwt, { secret, verify: { algorithms: ['HS256'], allowedAud: 'malote' } });
await app.register(rateLimit, {
  global: false,
  max: Number(RATE_LIMIT_ACCOUNT_PER_HOUR),
  timeWindow: 3_600_000,
  hook: 'preValidation',
  keyGenerator: (request) => request.user.sub,
});
app.addHook('onResponse', async (request, reply) => {
  request.log.info(
    { method: request.method, path: request.url, status: reply.statusCode, ms: reply.elapsedTime },
    'request',
  );
});

app.get(
  '/api/v1/orders/:id',
  {
    config: { rateLimit: {} },
    onRequest: (request) => request.jwtVerify(),
    schema: {
      params: { type: 'object', required: ['id'], properties: { id: { type: 'string', format: 'uuid' } } },
      response: { 200: schemaOf(contract.components.schemas.Order) },
    },
  },
  async (request, reply) => {
    const { role, sub } = request.user;
    const { rows } = await pool.query({
      name: 'order',
      text: ORDER,
      values: [request.params.id, role === 'operator', sub],
    });
    reply.header('X-Request-Id', request.id);
    if (!rows[0]) return reply.code(404).send({ error: { code: 'NOT_FOUND', message: 'No such order.', details: [] } });
    const etag = `"${rows[0].version}"`;
    reply.header('ETag', etag);
    return request.headers['if-none-match'] === etag ? reply.code(304).send() : order(rows[0]);
  },
);

const whole = (rest) => ({ type: 'integer', minimum: 1, ...rest });

app.get(
  '/api/v1/orders',
  {
    config: { rateLimit: {} },
    onRequest: (request) => request.jwtVerify(),
    schema: {
      querystring: {
        type: 'object',
        properties: { page: whole({ default: 1 }), page_size: whole({ default: 20, maximum: 100 }) },
      },
      response: { 200: schemaOf(contract.components.schemas.OrderList) },
    },
  },
  async (request, reply) => {
    const { role, sub } = request.user;
    const { page, page_size } = request.query;
    const query = role === 'operator' ? { name: 'whole page', text: WHOLE_PAGE } : { name: 'own page', text: OWN_PAGE };
    const { rows } = await pool.query({ ...query, values: [sub, (page - 1) * page_size, page_size] });
    const total_items = Number(rows[0].total);
    reply.header('X-Request-Id', request.id);
    return {
      data: (rows[0].orders ?? []).map(summary),
      pagination: { page, page_size, total_items, total_pages: Math.ceil(total_items / page_size) },
    };
  },
);

const url = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`fastify is ready at ${url}\n`);
process.on('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
