/**
 * Measures the time and memory of the embedded geocoder. The code is bundled as in production, because tsx makes it 25
 * % slower.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { AddressedPoint } from '../../../scripts/places/sources.js';
import { judge, mention, spread } from '../../figures.js';

const started = performance.now();
const before = megabytes();
const { locateEmbedded } = await import('../../../src/routing/address/embedded-geocoder.js');
const { embeddedCities, municipalitiesWithStreet } = await import('../../../src/routing/places/city-places.js');
const { allMunicipalities, municipalityOfCode } = await import('../../../src/routing/places/municipalities.js');
const loaded = performance.now();

const MAX_MICROSECONDS = 30;

const forms = [
  (city: string, state: string) => `Centro, ${city} - ${state}`,
  (city: string, state: string) =>
    `Av. Getúlio Vargas, 1578 - até 1715 - lado ímpar, ap 12, Centro, ${city}/${state}, Brasil`,
  (city: string, state: string) => `rua das flores 10 ${city} ${state}`.toLowerCase(),
];
const others = [
  'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200',
  'R. XV de Novembro 300 ap 12, Curitiba/PR',
  'rua das flores, 10, santos sp',
  'Rua sem cidade, 10',
  'Moji das Cruses - SP',
  'Campinas - RJ',
];

/** CPU time, because other programs disturb it less than wall-clock time. */
function milliseconds(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

function microseconds(texts: readonly string[]): number {
  const spent = milliseconds(() => {
    for (const text of texts) locateEmbedded(text);
  });
  return (spent * 1_000) / texts.length;
}

/** Collects garbage first. */
function megabytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

const tell = (title: string, ...values: number[]): void => mention(title, spread(values));

/** True if every goal is met. */
export function measureTime(points: readonly AddressedPoint[]): boolean {
  const municipalities = allMunicipalities();
  const texts = municipalities.flatMap(({ name, state }) => forms.map((form) => form(name, state)));
  const few = Array.from({ length: 20_000 }, (_, i) => others[i % others.length] ?? '');
  const longest = new Array<string>(2_000).fill('são josé, '.repeat(26).slice(0, 255));
  tell('running the modules, ms', loaded - started);
  tell(
    'unpacking the places, once, CPU ms',
    milliseconds(() => embeddedCities()),
  );
  tell(
    'listing their names, once, CPU ms',
    milliseconds(() => municipalitiesWithStreet(['rua', 'das', 'flores'])),
  );
  tell('an address, three of each municipality, cities asked for the first time, CPU µs', microseconds(texts));
  const again = [microseconds(texts), microseconds(texts), microseconds(texts)];
  const isFast = judge(
    'an address, three of each municipality, again, CPU µs',
    spread(again),
    MAX_MICROSECONDS,
    'below',
  );
  tell('an address of few cities, CPU µs', microseconds(few), microseconds(few), microseconds(few));
  tell('the longest text allowed, 255 characters, CPU µs', microseconds(longest));
  tell(
    '100 000 characters, CPU ms',
    milliseconds(() => locateEmbedded('rua a, sp - '.repeat(8_334))),
  );
  tell('memory, MB', megabytes() - before);
  const distinct = points.flatMap(({ street, number, neighbourhood, ibge }) => {
    const { name, state } = municipalityOfCode(Number(ibge)) ?? {};
    return name ? [`${street}, ${number || 100} - ${neighbourhood || 'Centro'}, ${name} - ${state}`] : [];
  });
  tell('an address, 51 437 of OpenStreetMap, each another, CPU µs', microseconds(distinct));
  return isFast;
}
