/**
 * Compares a quote by CEPs with an estimate of the same packages to whole addresses: npm run build && npx tsx
 * lab/bench/quotes.ts [--rounds 7] [--requests 2000] [--clients 16]. Prints the service's CPU in microseconds for each,
 * in turn: with a new address for each request, as from a shop's carts, and with one address that the service keeps. A
 * GET of the own profile shows the cost of any request: connection, token, contract and one row. That is four fifths of
 * an estimate, so a quote cannot cost half of one. Exits non-zero if a quote to new places costs more than an estimate
 * in every round.
 */
import { addressedPoints } from '../../scripts/places/sources.js';
import { locateEmbedded } from '../../src/routing/address/embedded-geocoder.js';
import { packageBody } from '../../test/support/bodies.js';
import { startChild } from '../../test/support/processes/child.js';
import { judge, machine, mention, ratios, spread } from '../figures.js';
import { costs, effortOf, type Request } from './costs.js';
import { openStage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const GOAL = 1;
const SAO_PAULO = '3550308';
const origin = { address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200', postal_code: '01310200' };

const { dimensions } = packageBody;

interface Destination {
  address: string;
  postal_code: string;
}

/** Real addresses of one city with their CEPs, as shops write them. */
const destinations = addressedPoints()
  .filter(({ ibge, cep, neighbourhood }) => ibge === SAO_PAULO && cep !== '' && neighbourhood !== '')
  .map(({ street, number, neighbourhood, cep }) => ({
    address: `${street}, ${number} - ${neighbourhood}, São Paulo - SP, ${cep}`,
    postal_code: cep,
  }))
  .filter(({ address, postal_code }) => locateEmbedded(address).ok && locateEmbedded(postal_code).ok);

const estimateTo = ({ address }: Destination) =>
  JSON.stringify({
    pickups: [{ address: { address: origin.address } }],
    packages: [{ ...packageBody, address: { address } }],
  });
const quoteTo = ({ postal_code }: Destination) =>
  JSON.stringify({
    pickups: [{ postal_code: origin.postal_code }],
    packages: [{ place: { postal_code }, dimensions }],
  });

/** Bodies for the destinations, one after the other. */
function inTurn(bodyTo: (destination: Destination) => string): () => string {
  let at = 0;
  return () => bodyTo(destinations[at++ % destinations.length] ?? origin);
}

await demandBuild();
const stage = await openStage();
const env = { ...stage.env, RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  const head = `Authorization: ${stage.customer.authorization.rest}\r\n`;
  const post = (path: string, body: NonNullable<Request['body']>): Request => ({ path, head, body });
  const [quotes, estimates] = ['/api/v1/quotes', '/api/v1/estimates'] as const;
  const found = await costs(
    {
      quote: [server, post(quotes, inTurn(quoteTo))],
      estimate: [server, post(estimates, inTurn(estimateTo))],
      profile: [server, { path: '/api/v1/users/me', head }],
      'quote again': [server, post(quotes, quoteTo(origin))],
      'estimate again': [server, post(estimates, estimateTo(origin))],
    },
    effortOf(),
  );
  mention('CPU of a quote, µs', spread(found.quote));
  mention('CPU of an estimate, µs', spread(found.estimate));
  mention('CPU of a GET of the own profile, µs', spread(found.profile));
  const again = ratios(found['quote again'], found['estimate again']);
  mention('Quote to a place that is kept, as a share of such an estimate', again);
  const isCheap = judge('Quote, as a share of an estimate', ratios(found.quote, found.estimate), GOAL, 'below');
  process.exitCode = isCheap ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await stage.close();
}
