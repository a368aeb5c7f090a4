/**
 * Child process: sends one kind of request over open connections until it is told to stop. Each connection sends one
 * request at a time.
 */
import { randomUUID } from 'node:crypto';
import { setPriority } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, ask, type Login } from '../../../test/support/http.js';

export interface Flood {
  url: string;
  kind: FloodKind;
  clients: number;
  customer: Login & { token: string };
  operatorToken: string;
}

/** Counts by status. 0 means no answer. */
export type FloodResult = Record<number, number>;

interface Sent extends Ask {
  method: string;
  path: string;
}

const address = (number: number, at: number) =>
  `Rua dos Pinheiros ${number}, ${at + 10} - Pinheiros, São Paulo - SP, 05422-000`;

const cities = (
  'Manaus - AM;Belém - PA;Fortaleza - CE;Recife - PE;Salvador - BA;Natal - RN;Maceió - AL;Aracaju - SE;Teresina - PI;' +
  'Palmas - TO;Goiânia - GO;Cuiabá - MT;Campo Grande - MS;Curitiba - PR;Florianópolis - SC;Porto Alegre - RS;' +
  'Vitória - ES;Rio de Janeiro - RJ;Belo Horizonte - MG;Campinas - SP'
).split(';');

const parcel = (to: string, at: number) => ({
  pickup_index: 0,
  recipient: { name: `Bruno Lima ${at}`, phone: '+55 11 98888-7777' },
  address: { address: to },
  dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
});

/** An order whose addresses the service has not read before. */
export const orderOf = (packages: number, number: number) => ({
  pickups: [{ address: { address: address(number, 0) } }],
  packages: Array.from({ length: packages }, (_, at) => parcel(address(number, at + 1), at)),
});

export const toCities = (number: number) => ({
  pickups: [{ address: { address: address(number, 0) } }],
  packages: Array.from({ length: 100 }, (_, at) =>
    parcel(`Rua Sete de Setembro ${number}, ${at + 1} - Centro, ${cities[(number + at) % cities.length]}`, at),
  ),
});

/** New names that fill 0.76 MB. Their texts are made once. */
const nameTexts = Array.from({ length: 8 }, (_, text) =>
  Array.from({ length: 60_000 }, (_each, at) => `"n${text}_${at}":0`).join(','),
);
const names = (number: number): string => nameTexts[number % nameTexts.length] ?? '';
const padding = 'x'.repeat(760_000);

/** One of 16 million client addresses, in the header that a proxy sets. */
const from = (number: number) => ({ 'X-Forwarded-For': `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` });
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

const makers = {
  'orders of 50 packages': (number, { customer: { token } }) => ({
    ...{ method: 'POST', path: '/api/v1/orders', token, body: orderOf(50, number) },
  }),
  'estimates of 100': (number, { customer: { token } }) => ({
    ...{ method: 'POST', path: '/api/v1/estimates', token, body: orderOf(100, number) },
  }),
  'estimates to 100 streets of 20 cities': (number, { customer: { token } }) => ({
    ...{ method: 'POST', path: '/api/v1/estimates', token, body: toCities(number) },
  }),
  'lists of 100 orders': (_, { customer: { token } }) => ({
    ...{ method: 'GET', path: '/api/v1/orders', query: '?page_size=100', token },
  }),
  'bodies of 60,000 names': (number, { customer: { token } }) => ({
    ...{ method: 'POST', path: '/api/v1/orders', token, body: `{${names(number)}}` },
  }),
  'variables of 60,000 names, without credentials': (number) => ({
    ...{ method: 'POST', path: '/graphql', body: `{"query":"{ __typename }","variables":{${names(number)}}}` },
  }),
  'bodies of 0.76 MB with a wrong token': () => ({
    ...{ method: 'POST', path: '/api/v1/orders', token: 'wrong', body: `{"external_id":"${padding}"}` },
  }),
  'right logins': (number, { customer: { email, password } }) => ({
    ...{ method: 'POST', path: '/auth/login', headers: from(number), body: { email, password } },
  }),
  'wrong logins': (number) => ({
    ...{ method: 'POST', path: '/auth/login', headers: from(number) },
    body: { email: `${number}@malote.test`, password: 'a wrong password' },
  }),
  'wrong API keys': (number) => ({
    ...{ method: 'POST', path: '/auth/token', headers: { ...from(number), ...form } },
    body: `grant_type=client_credentials&client_id=${randomUUID()}&client_secret=mak_wrong`,
  }),
  'wrong looks at /rastreio': (number) => ({
    ...{ method: 'GET', path: '/rastreio', headers: from(number) },
    query: `?code=${number.toString().padStart(12, '0')}&cep=05422000`,
  }),
  'searches of an operator': (number, { operatorToken: token }) => ({
    ...{ method: 'GET', path: '/operator/v1/orders', query: `?q=Bruno${number}`, token },
  }),
} satisfies Record<string, (number: number, flood: Flood) => Sent>;

export type FloodKind = keyof typeof makers;
export const floodKinds = Object.keys(makers) as FloodKind[];

let isOver = false;
let number = 0;

async function client(flood: Flood, result: FloodResult): Promise<void> {
  while (!isOver) {
    const { method, path, ...request } = makers[flood.kind](number++, flood) as Sent;
    const { status } = await ask(flood.url, method, path, request).catch(() => ({ status: 0 }));
    result[status] = (result[status] ?? 0) + 1;
    // Waits for a part of the time in Retry-After.
    if (status >= 400) await sleep(50);
  }
}

if (process.send) {
  // The lowest priority, because real clients have machines of their own and use no CPU of the service's machine.
  setPriority(19);
  process.on('message', async (message: Flood | 'stop') => {
    if (message === 'stop') {
      isOver = true;
      return;
    }
    const result: FloodResult = {};
    isOver = false;
    await Promise.all(Array.from({ length: message.clients }, () => client(message, result)));
    process.send?.(result);
  });
  process.on('disconnect', () => process.exit());
}
