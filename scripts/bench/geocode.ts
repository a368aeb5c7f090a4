/** Time per address of the embedded geocoder: npx tsx scripts/bench/geocode.ts */
const started = performance.now();
const { locateEmbedded } = await import('../../src/routing/address/embedded-geocoder.js');
const { allMunicipalities } = await import('../../src/routing/places/municipalities.js');
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
const municipalities = allMunicipalities();
const addresses = [
  ...forms.flatMap((form) => municipalities.map(({ name, state }) => form(name, state))),
  ...Array.from({ length: 5_000 }, (_, i) => others[i % others.length] ?? ''),
];

function microseconds(texts: readonly string[]): number {
  const from = performance.now();
  for (const text of texts) locateEmbedded(text);
  return ((performance.now() - from) * 1_000) / texts.length;
}

console.log(`load: ${(loaded - started).toFixed(0)} ms (with tsx; municipalities ${municipalities.length})`);
const first = performance.now();
locateEmbedded('Moji das Cruzes - SP');
console.log(`first address, spelled otherwise: ${(performance.now() - first).toFixed(1)} ms`);
console.log(`cold, ${addresses.length} addresses: ${microseconds(addresses).toFixed(1)} µs each`);
console.log(`warm: ${microseconds(addresses).toFixed(1)} µs each`);
console.log(
  `longest allowed text (255 characters): ${microseconds(new Array(2_000).fill('são josé, '.repeat(26).slice(0, 255))).toFixed(1)} µs`,
);
console.log(`100 000 characters: ${(microseconds(['rua a, sp - '.repeat(8_334)]) / 1_000).toFixed(0)} ms`);
