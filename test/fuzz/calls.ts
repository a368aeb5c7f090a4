import fc from 'fast-check';
import { anOrder } from '../graphql/client.js';
import { mixOf, odd } from './values.js';

/** Calls of the GraphQL interface that work, with a value spoilt, sent as variables or written into the document. */

/** Stands in every wrong text: an answer that holds it repeats the request. */
export const CANARY = 'kanarie';

export interface Call {
  query: string;
  variables?: unknown;
}

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const json = (value: unknown): Json => JSON.parse(JSON.stringify(value));

const selections: Readonly<Record<string, string>> = {
  createOrder: '{ success orders { pk externalId packages { loggiKey } } errors { field message } }',
  estimateOrder: '{ success estimate { distance } errors { field message } }',
  orders: '{ edges { cursor node { pk packages { loggiKey instructions } } } pageInfo { hasNextPage } }',
  login: '{ user { email } }',
  order: '{ pk externalId }',
  package: '{ loggiKey }',
  cancelOrder: '{ success errors { field message } }',
  answerActionRequired: '{ success applied errors { field message } }',
  returnPackage: '{ success order { pk } errors { field message } }',
  cancelPackage: '{ success changed errors { field message } }',
  changeAddress: '{ success changed errors { field message } }',
};

interface Working {
  /** As `query orders`. */
  field: `${'query' | 'mutation'} ${string}`;
  /** Types of the arguments. */
  types: Readonly<Record<string, string>>;
  values: { [name: string]: Json };
}

const ID = '01890000-0000-7000-8000-000000000000';

const call = (field: Working['field'], types: Working['types'], values: Working['values']): Working => ({
  field,
  types,
  values,
});

function working(paymentMethod: number): Working[] {
  const order = anOrder(paymentMethod, { externalId: 'pedido' });
  const address = { ...order.packages[0]?.address, complement: 'ap. 1' };
  const input = json({
    ...order,
    pickups: [{ address, instructions: 'portaria' }],
    packages: [{ ...order.packages[0], address, instructions: 'campainha' }],
  });
  const login = { email: 'a@example.com', password: CANARY };
  const answer = json({ loggiKey: ID, phone: '+55 11 98888-7777', address, note: 'portaria' });
  const change = json({ loggiKey: ID, address, total: '11.43' });
  const goingBack = json({ loggiKey: ID, paymentMethod, externalId: 'volta', instructions: 'portaria' });
  return [
    call('mutation createOrder', { input: 'CreateOrderInput!' }, { input }),
    call('query estimateOrder', { input: 'CreateOrderInput!' }, { input }),
    call('query orders', { first: 'Int', after: 'String' }, { first: 2, after: null }),
    call('mutation login', { input: 'LoginInput!' }, { input: login }),
    call('query order', { pk: 'ID!' }, { pk: ID }),
    call('query package', { loggiKey: 'String!' }, { loggiKey: ID }),
    call('mutation cancelOrder', { pk: 'ID!' }, { pk: ID }),
    call('mutation answerActionRequired', { input: 'AnswerInput!' }, { input: answer }),
    call('mutation cancelPackage', { loggiKey: 'String!', preview: 'Boolean!' }, { loggiKey: ID, preview: true }),
    call('mutation changeAddress', { input: 'AddressChangeInput!' }, { input: change }),
    call('mutation returnPackage', { input: 'ReturnInput!' }, { input: goingBack }),
  ];
}

/** Texts that something between the client and the database may stumble over. */
const texts = mixOf(
  [3, fc.constantFrom('\0', '\ud800', '\udc00x')],
  [2, fc.constantFrom('', '\u0001\u001f\u007f', '\ufeff', '\u2028', '😀'.repeat(256), '\\u0000')],
  [1, fc.string({ unit: 'binary', maxLength: 20 })],
  [1, fc.constantFrom(300, 200_000).map((length) => 'x'.repeat(length))],
);
const numbers = fc.constantFrom(-0, -1, 0.5, 1e21, 1e308, 5e-324, 2 ** 31, -(2 ** 31) - 1, 2 ** 53, 100.000001);
const large = fc.constantFrom<Json>(
  Array.from({ length: 20_000 }, () => 0),
  Array.from({ length: 150 }, () => ({ colour: CANARY, more: 'x'.repeat(1000) })),
  { ...Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`key${at}`, CANARY])), more: 'x'.repeat(100_000) },
);
const anything: fc.Arbitrary<Json> = mixOf(
  [3, fc.oneof(texts, numbers)],
  [3, odd.map(json)],
  [3, fc.constantFrom<Json>(null, true, CANARY, [CANARY], { colour: CANARY }, [[]])],
  [1, large],
);

/** Mostly of the right type, which is what gets furthest. */
function spoilsOf(value: Json): fc.Arbitrary<Json> {
  const like =
    typeof value === 'string'
      ? fc.oneof(
          texts,
          texts.map((text) => CANARY + text),
        )
      : numbers;
  const isLeaf = typeof value === 'string' || typeof value === 'number';
  return fc.oneof({ weight: isLeaf ? 6 : 0, arbitrary: like }, { weight: 2, arbitrary: anything });
}

/** Every place in a value with its contents, except the whole value. */
function placesIn(value: Json, path: readonly string[] = []): [path: string[], value: Json][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = [...path, name];
    return [[at, inner] satisfies [string[], Json], ...placesIn(inner, at)];
  });
}

/** The value with another one at a place; undefined there takes it away. */
function changed(value: Json, [name, ...rest]: readonly string[], to: Json | undefined): Json {
  if (name === undefined) return to ?? null;
  if (Array.isArray(value)) return value.map((each, at) => (String(at) === name ? changed(each, rest, to) : each));
  if (typeof value !== 'object' || value === null) return value;
  const { [name]: inner = null, ...others } = value;
  if (rest.length === 0 && to === undefined) return others;
  return { ...others, [name]: changed(inner, rest, to) };
}

/** One to three places of the values are wrong, or one is added or missing. */
function spoilt(values: Working['values']): fc.Arbitrary<Json> {
  const change = fc
    .constantFrom(...placesIn(values))
    .chain(([path, value]) =>
      fc.tuple(
        mixOf([9, fc.constant(path)], [1, fc.constant(path.with(-1, 'colour'))]),
        fc.option(spoilsOf(value), { nil: undefined, freq: 15 }),
      ),
    );
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce<Json>((spoiled, [path, to]) => changed(spoiled, path, to), values));
}

/**
 * A value as a literal. Characters that JSON escapes in another way than GraphQL stay as they are: the parser refuses
 * them.
 */
function literal(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${name}: ${literal(inner)}`);
  return `{${fields.join(', ')}}`;
}

function asVariables({ field, types }: Working, variables: Json): Call {
  const [root, name = ''] = field.split(' ');
  const declared = Object.entries(types).map(([each, type]) => `$${each}: ${type}`);
  const passed = Object.keys(types).map((each) => `${each}: $${each}`);
  return { query: `${root} (${declared.join(', ')}) { ${name}(${passed.join(', ')}) ${selections[name]} }`, variables };
}

function inline({ field }: Working, values: Json): Call {
  const [root, name = ''] = field.split(' ');
  const argumentList = literal(values).slice(1, -1);
  return { query: `${root} { ${name}${argumentList === '' ? '' : `(${argumentList})`} ${selections[name]} }` };
}

/** A call of an account that has this payment method. */
export function callOf(paymentMethod: number): fc.Arbitrary<Call> {
  return fc
    .oneof(...working(paymentMethod).map((each, at) => ({ weight: at < 2 ? 4 : 1, arbitrary: fc.constant(each) })))
    .chain((each) =>
      fc.tuple(fc.boolean(), spoilt(each.values)).map(([isInline, values]) => {
        return isInline ? inline(each, values) : asVariables(each, values);
      }),
    );
}
