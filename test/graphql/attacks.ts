const times = (count: number, write: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => write(at)).join(' ');
const spreads = (count: number): string => times(count, (at) => `...F${at}`);
const fragments = (count: number, on: string, write: (at: number) => string): string =>
  times(count, (at) => `fragment F${at} on ${on}{${write(at)}}`);
const ones = (count: number): string => times(count, (at) => `a${at}:1`);

const DEEP = /nested 64 levels|6000 tokens/;
const LOGIN = 'login(input:{email:"a",password:"b"}){__typename}';

/** Costly documents: name, text, and the error message that must answer them. */
export const attacks: readonly [name: string, document: string, message: RegExp][] = [
  ['selections nested 5 000 deep', `${'{a'.repeat(5000)}${'}'.repeat(5000)}`, DEEP],
  ['selections nested 5 000 deep, not closed', '{a'.repeat(5000), DEEP],
  ['lists nested 100 000 deep', `{orders(first:${'['.repeat(100_000)}`, DEEP],
  ['objects nested 1 900 deep', `{order(pk:${'{a:'.repeat(1900)}1${'}'.repeat(1900)})}`, DEEP],
  ['types nested 2 900 deep', `query($a:${'['.repeat(2900)}Int${']'.repeat(2900)}){__typename}`, DEEP],
  ['50 000 tokens', `{${'a '.repeat(50_000)}}`, /6000 tokens/],
  ['300 000 comments', `${'#\n'.repeat(300_000)}{a}`, /6000 tokens/],
  ['nested deep after many comments', `${'#\n'.repeat(7000)}${'{a'.repeat(5000)}`, /6000 tokens/],
  ['1 MB of commas', `{${','.repeat(900_000)}}`, /Syntax Error/],
  ['1 MB of an open string', `{order(pk:"${'x'.repeat(900_000)}`, /Unterminated string/],
  ['open block strings', `{order(pk:${'"""\n\\'.repeat(50_000)}`, /Syntax Error/],
  ['quotes', `{order(pk:${'" '.repeat(300_001)}`, /6000 tokens/],
  ['20 000 aliases', `{${times(20_000, (at) => `a${at}:__typename`)}}`, /6000 tokens/],
  ['200 aliased logins', `mutation{${times(200, (at) => `a${at}:${LOGIN}`)}}`, /1 login/],
  ['16 aliases', `{${times(16, (at) => `a${at}:__typename`)}}`, /15 aliases/],
  ['one field 5 900 times', `{${'__typename '.repeat(5900)}}`, /300 fields/],
  ['one object 1 400 times', `{${'me{pk}'.repeat(1400)}}`, /300 fields/],
  ['arguments to compare', `{${times(300, () => 'order(pk:1){__typename}')}}`, /300 fields/],
  ['the most that may be compared', `{${times(149, () => 'me{pk}')} nothing}`, /Cannot query field "nothing"/],
  ['inline fragments', `{${'...{me{pk}}'.repeat(700)}}`, /300 fields|100 fragments/],
  [
    'fragments nested in themselves',
    `{me{...F0}}${fragments(500, 'Account', (at) => `...F${at + 1}`)}`,
    /100 fragments/,
  ],
  [
    'fragments that all spread each other',
    `{me{...F0}}${fragments(9, 'Account', () => `${spreads(9)} pk`)}`,
    /within itself/,
  ],
  ['a fragment that spreads itself', '{...F}fragment F on Query{...F}', /within itself/],
  ['fragments that overlap', `{${spreads(49)}}${fragments(49, 'Query', () => 'me{pk nothing}')}`, /nothing/],
  [
    'a fragment laid out over and over',
    `{me{${spreads(30)}}}${fragments(30, 'Account', (at) => `...F${at + 1} ...F${at + 1}`)}`,
    /Unknown fragment|100 fragments/,
  ],
  ['operations', `${times(700, (at) => `query q${at}{me{pk}}`)}`, /300 fields|20 operations/],
  [
    'operations over fragments',
    `${times(20, (at) => `query q${at}{...F0}`)}${fragments(30, 'Query', (at) => `...F${at + 1}`)}`,
    /Unknown fragment/,
  ],
  ['directives', `{__typename ${'@skip(if:true)'.repeat(900)}}`, /50 directives|6000 tokens/],
  ['unknown directives', `{__typename ${'@a '.repeat(2900)}}`, /50 directives/],
  ['variables', `query(${times(1100, (at) => `$v${at}:Int`)}){__typename}`, /200 variables/],
  ['fields of an input', `mutation{createOrder(input:{${ones(1900)}}){success}}`, /paymentMethod is required/],
  ['a long name', `{${'a'.repeat(900_000)}}`, /255 characters/],
  ['introspection in circles', '{__schema{types{fields{type{fields{type{fields{type{fields{name}}}}}}}}}}', /depth/],
  ['types of types', `{__type(name:"Order"){${'ofType{'.repeat(12)}name${'}'.repeat(12)}}}`, /depth/],
];
