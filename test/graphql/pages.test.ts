import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import { sdl } from '../../generated/schema.js';
import { createDocuments } from '../../src/graphql/documents.js';
import { paced } from '../../src/graphql/schema.js';
import { anOrder, type Client, CREATE_ORDER, present } from './client.js';
import { mountGraphql } from './mounted.js';

const graphql = await mountGraphql();
afterAll(() => graphql.stop());
const account = await graphql.account();

/**
 * Number of packages of each order, newest order first. The first page has exactly the maximum of packages. The second
 * page ends early, because its next order would bring it one over the maximum.
 */
const sizes = [...Array<number>(19).fill(100), 99, 2, 1];

const orderOf = (paymentMethod: number, count: number) => {
  const order = anOrder(paymentMethod);
  return { ...order, packages: Array.from({ length: count }, () => order.packages).flat() };
};
const times = (count: number, write: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => write(at)).join(' ');

beforeAll(async () => {
  for (const size of sizes.toReversed()) {
    const { data } = await account.send(CREATE_ORDER, { variables: { input: orderOf(account.paymentMethod, size) } });
    expect(data?.createOrder?.success).toBe(true);
  }
});

describe('a page of orders', () => {
  const page = (node: string) => `query ($after: String) {
    orders(first: 100, after: $after) { edges { cursor node { pk ${node} } } pageInfo { hasNextPage endCursor } }
  } fragment Packages on Order { packages { ...Package } } fragment Package on Package { pickupIndex waypoint { index } }`;

  async function pages(query: string): Promise<{ packages: number[]; pks: string[] }[]> {
    const all = [];
    for (let after: string | null = null, more = true; more; ) {
      const { data }: Awaited<ReturnType<Client['send']>> = await account.send(query, { variables: { after } });
      const { edges, pageInfo } = present(data?.orders);
      const pks = edges.map(({ node }) => node.pk);
      all.push({ pks, packages: edges.map(({ node }) => (node.packages ?? []).length) });
      expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor);
      after = pageInfo.endCursor;
      more = pageInfo.hasNextPage;
    }
    return all;
  }

  test.each([
    'packages { pickupIndex waypoint { index } }',
    '...Packages',
    '... on Order { ...Packages packages { barcode } }',
  ])('ends at 1000 packages where they are selected: %s', async (selection) => {
    const unused = selection.includes('...') ? '' : ' ...Packages';
    const all = await pages(page(selection + unused));
    expect(all.map(({ packages }) => packages)).toEqual([sizes.slice(0, 10), sizes.slice(10, 20), sizes.slice(20)]);
    expect(new Set(all.flatMap(({ pks }) => pks)).size).toBe(sizes.length);
  });

  test('ends at `first` orders where no packages are selected', async () => {
    const query = '{ orders(first: 100) { edges { node { pk distance } } pageInfo { hasNextPage } } }';
    const { edges, pageInfo } = present((await account.send(query)).data?.orders);
    expect([edges.length, pageInfo.hasNextPage]).toEqual([sizes.length, false]);
  });

  test('holds the packages of each order in the order of the input', async () => {
    const order = anOrder(account.paymentMethod);
    const names = ['Ana', 'Bia', 'Caio'];
    const packages = order.packages.flatMap((parcel) =>
      names.map((name) => ({ ...parcel, recipient: { name, phone: parcel.recipient.phone } })),
    );
    const other = await graphql.account();
    const input = { ...order, paymentMethod: other.paymentMethod, packages };
    const create = CREATE_ORDER.replace('pk externalId', 'pk packages { loggiKey }');
    const created = await other.send(create, { variables: { input } });
    const { data } = await other.send('{ orders { edges { node { pk packages { loggiKey recipient { name } } } } } }');
    const node = data?.orders?.edges[0]?.node;
    expect(node?.packages.map(({ recipient }) => recipient.name)).toEqual(names);
    expect(node?.packages.map(({ loggiKey }) => loggiKey)).toEqual(
      created.data?.createOrder?.orders[0]?.packages.map(({ loggiKey }) => loggiKey),
    );
  });
});

describe('an operation', () => {
  const prepare = createDocuments(buildSchema(sdl));
  const problemsOf = (query: string) => {
    const prepared = prepare(query);
    return 'errors' in prepared ? prepared.errors.map(({ message }) => message).join('\n') : undefined;
  };
  const packages = 'edges { node { packages { loggiKey } } }';
  const list = (name: string) => `${name}: orders { ${packages} }`;
  const ofOrders = (fields: string) => `{ orders { edges { node { ${fields} } } } }`;
  const alone = (count: number, fields: string) => times(count, (at) => `a${at}: order(pk: "1") ${fields}`);
  const threeTimes = (field: string) => times(3, (at) => `a${at}: ${field}`);
  const twice = '{ a: barcode b: barcode }';
  const place = '{ latitude longitude precision accuracyMetres district city state postalCode }';
  const stop = '{ index eta legDistance }';
  const whole = `packages {
    loggiKey trackingCode barcode pickupIndex recipient { name phone } address { address complement }
    pickupResolvedAddress ${place} resolvedAddress ${place} instructions promisedDate
    dimensions { width height length weight } pickupWaypoint ${stop} waypoint ${stop}
    status { code highLevelStatus description final stage updatedTime
      actionRequired { reasonLabel reasonDescription } pickupAgency { address city state postalCode } }
  }`;

  test.each([
    ['two lists', `{ ${list('a')} ${list('b')} c: orders { edges { node { pk } } } }`],
    ['one list in two parts', `${ofOrders('packages { barcode } ...O')} fragment O on Order { packages { loggiKey } }`],
    ['every order alone', `{ ${alone(15, '{ packages { loggiKey } }')} }`],
    ['two fields under other names', ofOrders('packages { from: pickupWaypoint { eta } to: waypoint { eta } }')],
    [
      'every order alone, with all that its packages have',
      `{ ${alone(15, '{ ...O }')} } fragment O on Order { ${whole} }`,
    ],
  ])('may select %s', (_, query) => {
    expect(problemsOf(query)).toBeUndefined();
  });

  const lists = 'An operation may select the packages of 2 lists of orders at most.';
  const names = 'An operation may select one field under 2 names below a root field at most.';
  const schemas = 'An operation may select __schema 2 times at most.';
  const fields = 'An operation may select 1000 fields, those of fragments wherever they are spread, at most.';
  test.each([
    ['three lists', `{ ${list('a')} ${list('b')} ${list('c')} }`, lists],
    ['packages under three names', ofOrders(threeTimes('packages { barcode }')), lists],
    ['edges under three names', `{ orders { ${threeTimes(packages)} } }`, lists],
    [
      'two lists of which one is selected twice',
      `{ ${list('a')} b: orders { edges { node { p: packages { barcode } ...O } } } } fragment O on Order { packages { barcode } }`,
      lists,
    ],
    [
      'lists in fragments',
      `{ ...A ...B } fragment A on Query { ${list('a')} ${list('b')} } fragment B on Query { orders { ${packages} } }`,
      lists,
    ],
    ['lists that are skipped', `{ ${threeTimes(`orders @skip(if: true) { ${packages} }`)} }`, lists],
    ['a field under three names', `{ order(pk: "1") { packages { ${threeTimes('address { address }')} } } }`, names],
    ['a field twice at each of two levels', `{ order(pk: "1") { a: packages ${twice} b: packages ${twice} } }`, names],
    ['wrong fields under many names', `mutation { cancelOrder(pk: "1") { errors { ${threeTimes('field')} } } }`, names],
    ['the schema three times', `{ ${threeTimes('__schema { types { name } }')} }`, schemas],
    ['long aliases', `{ ${'a'.repeat(65)}: __typename }`, 'An alias may hold 64 characters at most.'],
    ['a fragment laid out often', `{ ${alone(13, '{ ...O }')} } fragment O on Order { ${whole} p: ${whole} }`, fields],
  ])('may not select %s', (_, query, message) => {
    expect(problemsOf(query)).toBe(message);
  });
});

describe('a request', () => {
  const query = (root: string) => `query ($pk: ID!, $key: String!, $input: CreateOrderInput!) {
    ${root} order(pk: $pk) { pk } package(loggiKey: $key) { loggiKey } estimateOrder(input: $input) { success }
  }`;
  const id = '01890000-0000-7000-8000-000000000000';
  const variables = () => ({ pk: id, key: id, input: orderOf(account.paymentMethod, 2) });

  test('takes one connection at a time, whatever it selects', async () => {
    const roots = [
      times(5, (at) => `a${at}: order(pk: $pk) { pk packages { loggiKey } }`),
      times(5, (at) => `b${at}: estimateOrder(input: $input) { success }`),
      times(3, (at) => `c${at}: orders(first: 100) { edges { node { pk } } }`),
      'd: orders { edges { node { packages { loggiKey } } } } me { pk } paymentMethods { id }',
    ].join(' ');
    const work = async () =>
      expect((await account.send(query(roots), { variables: variables() })).errors).toBeUndefined();
    expect(await graphql.maxAtOnce(/./, work)).toBe(1);
  });

  test('for a list of orders waits for other lists of the account, so that one is read at a time', async () => {
    const list = '{ orders(first: 100) { edges { node { pk packages { loggiKey } } } } }';
    const work = async () => {
      const answers = await Promise.all(Array.from({ length: 10 }, () => account.send(list)));
      expect(answers.map(({ status, errors }) => [status, errors])).toEqual(Array(10).fill([200, undefined]));
    };
    expect(await graphql.maxAtOnce(/from packages p|from orders where/, work)).toBe(1);
  });

  test('reads no more once it has failed', async () => {
    const orders = times(14, (at) => `a${at}: order(pk: $pk) { pk }`);
    const text = `query ($pk: ID!) { wrong: orders(first: 0) { edges { cursor } } ${orders} }`;
    const work = async () => expect((await account.send(text, { variables: variables() })).data).toBeNull();
    // One statement looks the API key up. The read of the first order may have begun.
    expect(await graphql.statementsOf(work)).toBeLessThanOrEqual(2);
  });

  test('that is refused does not hold up the next one', async () => {
    const wrong = await account.send('{ orders(first: 0) { edges { cursor } } }');
    expect(wrong.errors).toHaveLength(1);
    expect((await account.send('{ orders { edges { cursor } } }')).errors).toBeUndefined();
  });
});

test('a list lets other requests run between its large orders; small orders share a turn', async () => {
  /** The number of turns of other requests between the first entry and the last. */
  const turnsBetween = async (entries: number[]) => {
    const turns: string[] = [];
    const others = async () => {
      for (let at = 0; at < 4; at += 1) {
        await nextTurn();
        turns.push('other');
      }
    };
    const work = paced(entries, (size) => size).map(async (entry) => turns.push(`${await entry}`));
    await Promise.all([...work, others()]);
    const own = turns.filter((each) => each !== 'other');
    expect(own).toEqual(entries.map(String));
    return turns.lastIndexOf(own.at(-1) ?? '') - turns.indexOf(own[0] ?? '') + 1 - entries.length;
  };
  expect(await turnsBetween([101, 12, 11])).toBeGreaterThanOrEqual(2);
  expect(await turnsBetween([5, 6, 7])).toBe(0);
});
