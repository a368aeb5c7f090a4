import { nameKey } from './words.js';

/** The 26 states and the Federal District, by UF. */
const stateNames: Record<string, string> = {
  AC: 'Acre',
  AL: 'Alagoas',
  AM: 'Amazonas',
  AP: 'Amapá',
  BA: 'Bahia',
  CE: 'Ceará',
  DF: 'Distrito Federal',
  ES: 'Espírito Santo',
  GO: 'Goiás',
  MA: 'Maranhão',
  MG: 'Minas Gerais',
  MS: 'Mato Grosso do Sul',
  MT: 'Mato Grosso',
  PA: 'Pará',
  PB: 'Paraíba',
  PE: 'Pernambuco',
  PI: 'Piauí',
  PR: 'Paraná',
  RJ: 'Rio de Janeiro',
  RN: 'Rio Grande do Norte',
  RO: 'Rondônia',
  RR: 'Roraima',
  RS: 'Rio Grande do Sul',
  SC: 'Santa Catarina',
  SE: 'Sergipe',
  SP: 'São Paulo',
  TO: 'Tocantins',
};

const byCode = new Map(Object.keys(stateNames).map((state) => [state.toLowerCase(), state]));
const byName = new Map(Object.entries(stateNames).map(([state, name]) => [nameKey(name), state]));

/** `São Paulo` for SP. */
export function nameOfState(state: string): string {
  return stateNames[state] ?? state;
}

/** The state whose UF is this word (lower case), if any. */
export function stateByCode(word: string): string | undefined {
  return byCode.get(word);
}

/** The state whose whole name has this key, if any. */
export function stateByName(key: string): string | undefined {
  return byName.get(key);
}

/** The key of the capital's name where the state has the same name, so that the name alone may mean the city. */
export function capitalNamedAfter(state: string): string | undefined {
  return state === 'SP' || state === 'RJ' ? nameKey(stateNames[state] ?? '') : undefined;
}

const capitals = new Map(
  (
    'AC Rio Branco|AL Maceió|AM Manaus|AP Macapá|BA Salvador|CE Fortaleza|DF Brasília' +
    '|ES Vitória|GO Goiânia|MA São Luís|MG Belo Horizonte|MS Campo Grande|MT Cuiabá|PA Belém' +
    '|PB João Pessoa|PE Recife|PI Teresina|PR Curitiba|RJ Rio de Janeiro|RN Natal|RO Porto Velho' +
    '|RR Boa Vista|RS Porto Alegre|SC Florianópolis|SE Aracaju|SP São Paulo|TO Palmas'
  )
    .split('|')
    .map((line) => [line.slice(0, 2), nameKey(line.slice(3))]),
);

/** The key of the capital's name. */
export function capitalOf(state: string): string | undefined {
  return capitals.get(state);
}
