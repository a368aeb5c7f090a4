import { createHash } from 'node:crypto';
import { type FieldError, invalid } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import type { CoverageAnswer } from '../carrier/coverage.js';
import { coverageAt, type NamedPlace } from '../orders/coverage.js';
import type { Bodies, Filters, RestDeps, SomeHandlers } from './deps.js';

export const coverageHandlers = ({ db, planning }: RestDeps) =>
  ({
    getCoverage: async ({ query, ctx }) => {
      const { places, pickup } = placesOf(query);
      const answers = await coverageAt({ db, planning }, ctx.actor.accountId, places, pickup);
      const body = { data: answers.map((answer, at) => toCoverage(answer, places[at])) };
      const tag = createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22);
      return { status: 200, body, headers: { ETag: `"c-${tag}"` } };
    },
  }) satisfies SomeHandlers;

function placesOf(query: Filters<'getCoverage'>): { places: NamedPlace[]; pickup: NamedPlace | undefined } {
  const { postal_code, postal_codes, city, state, ...rest } = query;
  const { pickup_postal_code, pickup_city, pickup_state, ...others } = rest;
  others satisfies NoKey;
  const codes = postal_codes?.split(',').map((code) => ({ postalCode: code.replace('-', '') }));
  const ways = [postal_code, postal_codes, city ?? state].filter((value) => value !== undefined);
  if (ways.length !== 1) throw invalid([contradiction('postal_code', WAYS)]);
  const place = placeNamed('', { postalCode: postal_code, city, state });
  const pickup = placeNamed('pickup_', { postalCode: pickup_postal_code, city: pickup_city, state: pickup_state });
  return { places: codes ?? (place ? [place] : []), pickup };
}

const WAYS = 'must be given, or city and state, or postal_codes: one of the three';

const contradiction = (field: string, message: string): FieldError => ({ field, code: 'contradiction', message });

type Parts = Record<'postalCode' | 'city' | 'state', string | undefined>;

function placeNamed(prefix: string, { postalCode, city, state }: Parts): NamedPlace | undefined {
  if (postalCode !== undefined && (city ?? state) !== undefined)
    throw invalid([contradiction(`${prefix}postal_code`, `cannot be combined with ${prefix}city and ${prefix}state`)]);
  if (postalCode !== undefined) return { postalCode };
  if (city === undefined && state === undefined) return undefined;
  if (city === undefined) throw invalid([contradiction(`${prefix}state`, `needs ${prefix}city`)]);
  if (state === undefined) throw invalid([contradiction(`${prefix}city`, `needs ${prefix}state`)]);
  return { city, state };
}

const toCoverage = (answer: CoverageAnswer, named: NamedPlace | undefined): Bodies['Coverage'] => ({
  postal_code: named && 'postalCode' in named ? named.postalCode : undefined,
  city: answer.city,
  state: answer.state,
  served: answer.isServed,
  collects: answer.collects,
  delivers: answer.delivers,
  services: answer.services,
  weekdays: answer.weekdays,
  extra_workdays: answer.extraWorkdays,
  reason: answer.refusal?.code,
  message: answer.refusal?.message,
});
