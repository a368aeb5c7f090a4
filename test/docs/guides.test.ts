import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildSchema, parse, validate } from 'graphql';
import { loadConfig } from '../../src/base/config.js';
import { maxDimensions } from '../../src/base/dimensions.js';
import { type ErrorCode, statusOf } from '../../src/base/errors.js';
import { price } from '../../src/carrier/pricing.js';
import { currentRateCard } from '../../src/carrier/rate-cards.js';
import { listStatuses } from '../../src/packages/catalogue.js';
import { courseOf } from '../../src/packages/sandbox/course.js';
import { standardSchedule } from '../../src/queue/schedule.js';
import { USER_AGENT } from '../../src/webhook/request.js';
import { bundles, fields, sdl } from '../contract/contract-files.js';
import { ownDatabase } from '../support/services.js';
import { blocksIn } from './both-sides.js';

/** Tables and figures of contracts/guides say the same as the contracts and the code. */

const guides = new Map(
  readdirSync('contracts/guides', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(`contracts/guides/${name}`, 'utf8')] as const),
);
const guide = (name: string): string => guides.get(`${name}.md`) ?? '';

/** Rows of the table that has these heads, each as its cells. */
function tableOf(name: string, ...heads: string[]): string[][] {
  const [, rows = ''] = guide(name).split(`| ${heads.join(' | ')} |\n`);
  const lines = rows.split('\n').slice(1);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim().replaceAll('`', '')),
  );
}

const database = await ownDatabase();

test('errors.md has every reason of the contracts with its status, and every code of a field', () => {
  const meanings = (name: string) =>
    fields(fields(fields(fields(bundles.rest['components'])['schemas'])[name])['x-meanings']);
  const reasons = tableOf('errors', 'reason', 'status and code', 'cause', 'do', '`Retry-After`');
  const answers = ({ codes }: { codes: readonly ErrorCode[] }) =>
    codes.map((code) => `${statusOf(code)} ${code}`).join(', ');
  const rows = Object.entries(meanings('ErrorReason')).map(([name, said]) => [name, answers(Object(said)) || 'any']);
  expect(reasons.map(([name, codes]) => [name, codes])).toEqual(rows);
  expect(tableOf('errors', 'code', 'means').map(([name]) => name)).toEqual(Object.keys(meanings('DetailCode')));
  const translated = tableOf('pt-BR/errors', 'motivo', 'status e código', 'causa', 'o que fazer', '`Retry-After`');
  const isRepeated = (yes: string) => (row: string[]) => row[4] === yes;
  expect(translated.map(([name, codes]) => [name, codes?.replace('qualquer', 'any')])).toEqual(rows);
  expect(translated.map(isRepeated('sim'))).toEqual(reasons.map(isRepeated('yes')));
  const details = tableOf('pt-BR/errors', 'código', 'significa').map(([name]) => name);
  expect(details).toEqual(Object.keys(meanings('DetailCode')));
});

test('statuses.md has the catalogue that a new service begins with', async () => {
  const requirements = { action_required: 'actionRequired', pickup_agency: 'pickupAgency' };
  const catalogue = await listStatuses(database.db);
  expect(tableOf('statuses', 'code', 'name', 'description', 'means for the order', 'final', 'needs')).toEqual(
    catalogue.map(({ code, name, description, stage, final, requirement }) => [
      String(code),
      name,
      description,
      stage,
      final ? 'yes' : '',
      requirement ? requirements[requirement] : '',
    ]),
  );
});

describe('webhook.md', () => {
  /** `2 h 35 min` in ms. */
  const inMs = (text: string): number =>
    [...text.matchAll(/(\d+) (s|min|h)/g)].reduce(
      (sum, [, count, unit]) => sum + Number(count) * { s: 1_000, min: 60_000, h: 3_600_000 }[String(unit) as 's'],
      0,
    );

  test('has the pauses between attempts, and what they come to', () => {
    const [, ...later] = tableOf('webhook', 'attempt', 'after the one before', 'since the first');
    const pauses = standardSchedule.pausesMs.delivery;
    expect(later.map(([, pause = '']) => inMs(pause))).toEqual(pauses);
    const sums = pauses.map((_, at) => pauses.slice(0, at + 1).reduce((sum, pause) => sum + pause, 0));
    for (const [at, [, , since = '']] of later.entries())
      expect(Math.abs(inMs(since) - Number(sums[at]))).toBeLessThan(360_000);
    expect(later.map(([number]) => number)).toEqual(pauses.map((_, at) => String(at + 2)));
  });

  test('names the User-Agent in both languages', () => {
    for (const name of ['webhook', 'pt-BR/webhook'])
      expect(guide(name)).toContain(`| \`user-agent\` | \`${USER_AGENT}\` |`);
  });

  test('has the ports', () => {
    expect(guide('webhook')).toContain(`on port ${loadConfig({}).webhookPorts.join(' or ')},`);
  });
});

test('limits.md has the limits that a service has unless it is configured', () => {
  const { rateLimitAccountPerHour, rateLimitPublicPerHour } = loadConfig({});
  expect(tableOf('limits', 'caller', 'requests').map(([, count]) => Number(count))).toEqual([
    rateLimitAccountPerHour,
    // At pages, ten times as many of each (src/http/limits/rate-limit.ts).
    10 * rateLimitAccountPerHour,
    rateLimitPublicPerHour,
    10 * rateLimitPublicPerHour,
  ]);
});

test('limits.md has the sizes of the contract', () => {
  const { schemas, parameters } = fields(bundles.rest['components']);
  const schema = (name: string) => fields(fields(schemas)[name]);
  const [pickups, packages] = ['pickups', 'packages'].map((name) => fields(schema('OrderCreate')['properties'])[name]);
  const size = fields(fields(fields(parameters)['PageSize'])['schema']);
  const { width, height, length } = maxDimensions;
  expect(
    tableOf('limits', 'limit', 'at most').map(([, most = '']) => Number.parseInt(most.replace(' ', ''), 10)),
  ).toEqual([
    fields(pickups)['maxItems'],
    fields(packages)['maxItems'],
    schema('Centimetres')['maximum'],
    Math.round(width + height + length),
    schema('Grams')['maximum'],
    size['maximum'],
    schema('Text')['maxLength'],
    Number.NaN,
  ]);
});

test('addresses.md has the first rate card, and reckons as the service does', async () => {
  const card = await currentRateCard(database.db);
  const money = (centavos: number): string => (centavos / 100).toFixed(2);
  const { base_centavos, per_km_centavos, per_kg_centavos, per_extra_stop_centavos, volumetric_cm3_per_kg } = card;
  const rates = [base_centavos, per_km_centavos, per_kg_centavos, per_extra_stop_centavos].map(money);
  const [base, km, kg, stop] = rates;
  expect(guide('addresses')).toContain(
    `${base} for the order, ${km} per km, ${kg} per kg, ${stop} per extra stop and ${volumetric_cm3_per_kg} cm³ per kg`,
  );
  const box = { width: 20, height: 10, length: 30, weight: 1200 };
  const route = { courierMetres: 4213, pickupCount: 1 };
  const parcel = { dimensions: box, pickupIndex: 0, directMetres: 4213, declaredCentavos: null };
  const { lines, totalCentavos } = price(card, 'express', route, [parcel]);
  const rows = lines.map(({ kind, quantity, unitPrice, amount }) => [
    kind,
    String(quantity),
    money(unitPrice),
    money(amount),
  ]);
  expect(tableOf('addresses', 'line', 'quantity', 'unit price', 'amount')).toEqual([
    ...rows,
    ['total', '', '', money(totalCentavos)],
  ]);
});

test('sandbox.md says how packages fare there', () => {
  const ends = { '11 5': 0, '18 11 5': 0, '6 3 11 5': 0, '10 5': 0, '7 17 8': 0 };
  const place = { city: 'São Paulo', state: 'SP' };
  const count = 4_000;
  for (let at = 0; at < count; at += 1) {
    const key = `01930f61-4c1d-7b02-a7d1-${String(at).padStart(12, '0')}`;
    const course = courseOf({ loggiKey: key, origin: place, destination: place, postalCode: '01310200' });
    const way = course.map(({ statusCode }) => statusCode).join(' ');
    const end = (['6 3 11 5', '10 5', '7 17 8', '18 11 5', '11 5'] as const).find((each) => way.endsWith(each));
    if (end) ends[end] += 1;
  }
  const shares = tableOf('sandbox', 'about so many of 100 packages', 'go this way').map(([share]) => Number(share));
  expect(shares.reduce((sum, share) => sum + share, 0)).toBe(100);
  for (const [at, seen] of Object.values(ends).entries())
    expect(Math.abs((100 * seen) / count - Number(shares[at]))).toBeLessThan(3);
});

test('examples of GraphQL in the guides are valid', () => {
  const documents = [...guides.values()].flatMap(blocksIn).filter(({ language }) => language === 'graphql');
  expect(documents.length).toBeGreaterThan(0);
  for (const { text } of documents) expect(validate(buildSchema(sdl), parse(text))).toEqual([]);
});
