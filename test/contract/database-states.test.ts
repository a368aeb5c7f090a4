import { beforeAll, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { anOrder, CREATE_ORDER, startGraphql } from '../graphql/client.js';
import { movement, newPackage } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';

// A database that cannot do its work is not a bug. Every interface answers 503, and never 500.

const service = await startGraphql({});
const client = await service.client();
const key = await newPackage(client.caller);

type Outcome = [number, string | undefined, string | null];

async function writes(): Promise<Outcome[]> {
  const rest = await client.caller.rest.POST('/api/v1/orders', { body: orderBody() });
  const body = { movements: [movement(key)] };
  const operator = await service.operator.operator.POST('/operator/v1/movements', { body });
  const graphql = await client.send(CREATE_ORDER, { variables: { input: anOrder(client.paymentMethod) } });
  return [
    [rest.response.status, rest.error?.error.code, rest.response.headers.get('retry-after')],
    [operator.response.status, operator.error?.error.code, operator.response.headers.get('retry-after')],
    [graphql.status, graphql.errors?.[0]?.extensions.code, graphql.headers.get('retry-after')],
  ];
}
const unavailable: Outcome[] = Array(3).fill([503, 'UNAVAILABLE', '1']);

const failWith = (state: string) =>
  sql`
    create or replace function fail() returns trigger language plpgsql as $$
    begin raise exception using errcode = '${sql.raw(state)}', message = 'not now'; end $$`.execute(service.db);

beforeAll(async () => {
  await failWith('00000');
  for (const table of ['orders', 'movements'])
    await sql`
      create trigger failing before insert on ${sql.table(table)}
      for each statement execute function fail()`.execute(service.db);
});

const states = ['55000', '25006', '53100', '53200', '53300', '57P01', '57P03', '57014'];
test.each(states)('a write that the database answers with %s is 503', async (state) => {
  await failWith(state);
  expect(await writes()).toEqual(unavailable);
});
