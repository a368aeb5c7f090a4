import { afterAll, describe, expect, test } from '@jest/globals';
import { anOrder, CREATE_ORDER } from './client.js';
import { mountGraphql } from './mounted.js';

const graphql = await mountGraphql();
afterAll(() => graphql.stop());
const account = await graphql.account();

/** The number of statements, without the one that looks the API key up. */
const statementsOf = async (query: string, variables: object = {}) =>
  (await graphql.statementsOf(async () => expect((await account.send(query, { variables })).errors).toBeUndefined())) -
  1;

const order = (packages: number, name: string) => {
  const one = anOrder(account.paymentMethod, { externalId: name });
  return { ...one, packages: Array.from({ length: packages }, () => one.packages).flat() };
};

describe('the number of statements', () => {
  test('of createOrder does not depend on how many packages there are', async () => {
    // The first order also reserves package numbers and reads the rate card for the next orders.
    expect(await statementsOf(CREATE_ORDER, { input: order(1, 'first') })).toBeLessThanOrEqual(4);
    const small = await statementsOf(CREATE_ORDER, { input: order(1, 'small') });
    const large = await statementsOf(CREATE_ORDER, { input: order(40, 'large') });
    expect(large).toBe(small);
    expect(small).toBeLessThanOrEqual(2);
  });

  test('of any query is one for each root field, and one for each 200 packages of a list', async () => {
    const everything = `
      edges { node { pk pricing { lines { kind } } packages { loggiKey status { code } resolvedAddress { city } waypoint { eta } } } }
      pageInfo { hasNextPage }`;
    expect(await statementsOf('{ orders { edges { cursor } } }')).toBe(1);
    // The account has orders of 1, 1 and 40 packages so far.
    expect(await statementsOf(`{ orders(first: 100) { ${everything} } }`)).toBe(2);
    expect(await statementsOf(`{ orders { ${everything} } me { email } paymentMethods { id } }`)).toBe(4);
    for (const name of ['a', 'b', 'c', 'd']) await statementsOf(CREATE_ORDER, { input: order(90, name) });
    expect(await statementsOf(`{ orders(first: 100) { ${everything} } }`)).toBe(4);
    expect(await statementsOf('{ orders(first: 100) { edges { node { pk } } } }')).toBe(1);
  });

  test('is 0 for a document that is refused before it runs', async () => {
    const refused = await graphql.statementsOf(() => account.send('{ me { password } }'));
    expect(refused - 1).toBe(0);
  });
});
