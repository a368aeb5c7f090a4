/** The time and memory of the embedded geocoder. */
const started = performance.now();
const before = megabytes();
const { locateEmbedded } = await import('../../../src/routing/address/embedded-geocoder.js');
const { embeddedCities, municipalitiesWithStreet } = await import('../../../src/routing/places/city-places.js');
const { allMunicipalities } = await import('../../../src/routing/places/municipalities.js');
const loaded = performance.now();

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

/** CPU, which other work on the machine disturbs less than it does the clock. */
function milliseconds(work: () => void): number {
  const from = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(from);
  return (user + system) / 1_000;
}

function microseconds(texts: readonly string[]): string {
  const spent = milliseconds(() => {
    for (const text of texts) locateEmbedded(text);
  });
  return ((spent * 1_000) / texts.length).toFixed(1);
}

/** Without what is left to collect, where node runs with --expose-gc. */
function megabytes(): number {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return (heapUsed + arrayBuffers) / 1e6;
}

export function measureTime(): void {
  const municipalities = allMunicipalities();
  const texts = municipalities.flatMap(({ name, state }) => forms.map((form) => form(name, state)));
  const mixed = [...texts, ...Array.from({ length: 5_000 }, (_, i) => others[i % others.length] ?? '')];
  console.log(
    `load: ${(loaded - started).toFixed(0)} ms on the clock (with tsx; ${municipalities.length} municipalities)`,
  );
  const tables = milliseconds(() => embeddedCities());
  const names = milliseconds(() => municipalitiesWithStreet('rua das flores'));
  console.log(
    `first use: ${tables.toFixed(0)} ms to unpack the places of the cities, ${names.toFixed(0)} ms to list their names`,
  );
  console.log(
    `${mixed.length} addresses, three of each municipality: cold ${microseconds(mixed)} µs each, again ${microseconds(mixed)} µs`,
  );
  const repeated = Array.from({ length: 20_000 }, (_, i) => others[i % others.length] ?? '');
  console.log(`of few cities: ${microseconds(repeated)} µs each`);
  console.log(
    `longest allowed text (255 characters): ${microseconds(new Array(2_000).fill('são josé, '.repeat(26).slice(0, 255)))} µs`,
  );
  console.log(`100 000 characters: ${milliseconds(() => locateEmbedded('rua a, sp - '.repeat(8_334))).toFixed(0)} ms`);
  const more = megabytes() - before;
  console.log(
    `memory: ${more.toFixed(0)} MB more than before${globalThis.gc ? '' : ' (with what is left to collect)'}`,
  );
}
