/** Real streets, neighbourhoods and CEPs: © OpenStreetMap contributors, ODbL 1.0 (https://www.openstreetmap.org/copyright). */
import { describe, expect, test } from '@jest/globals';
import { forms, formsWithoutCity, writtenAddresses } from '../../scripts/places/forms.js';
import { readAddress } from '../../src/routing/address/embedded-geocoder.js';

/** `street | number | neighbourhood | city - UF | CEP`, as far as the address has them. */
function partsOf(address: string): string {
  const reading = readAddress(address);
  if (!reading.ok) return reading.message;
  const { street, neighbourhood, municipality, postalCode } = reading;
  const city = `${municipality.name} - ${municipality.state}`;
  const parts = [street?.words.join(' '), street?.number, neighbourhood?.join(' '), city, postalCode];
  return parts.filter((part) => part !== undefined).join(' | ');
}

describe('an address is read in parts', () => {
  test.each([
    ['Rua Lemos Cunha, 355 - Icaraí, Niterói - RJ', 'rua lemos cunha | 355 | icarai | Niterói - RJ'],
    ['R. Lemos Cunha nº 355 ap 12, bairro Icaraí, Niterói/RJ', 'r lemos cunha | 355 | icarai | Niterói - RJ'],
    ['rua lemos cunha 355 ap 12 bl b icarai niteroi rj', 'rua lemos cunha | 355 | icarai | Niterói - RJ'],
    ['Rua Lemos Cunha, 355, Icaraí, 24230-131, Niterói', 'rua lemos cunha | 355 | icarai | Niterói - RJ | 24230131'],
    ['Niterói - RJ, Icaraí, Rua Lemos Cunha, 355', 'rua lemos cunha | 355 | icarai | Niterói - RJ'],
    ['Edifício Icaraí, Rua Lemos Cunha 355, Niterói RJ', 'rua lemos cunha | 355 | Niterói - RJ'],
    ['Rua 7 de Setembro, 72 - Centro, Tabuleiro - MG', 'rua 7 de setembro | 72 | centro | Tabuleiro - MG'],
    ['rua 24 de junho 366 amazonas betim mg', 'rua 24 de junho | 366 | amazonas | Betim - MG'],
    ['Rodovia BR 101 km 10, Osório - RS', 'rodovia br 101 | Osório - RS'],
    ['Perimetral Norte, 100, Caroebe - RR', 'perimetral norte | 100 | Caroebe - RR'],
    ['Praça da Sé, s/n, Sé, São Paulo', 'praca da se | se | São Paulo - SP'],
    ['Av. Paulista 1578 A, São Paulo', 'av paulista | 1578 | São Paulo - SP'],
    ['Rua Direita, 10, DF', 'rua direita | 10 | Brasília - DF'],
    ['rua padre chagas porto alegre rs', 'rua padre chagas | Porto Alegre - RS'],
    ['Ponte Nova - MG', 'Ponte Nova - MG'],
  ])('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });
});

describe('a name within a longer one is not read by itself', () => {
  test.each([
    ['Rua José Antônio Santos, 1065, São Paulo', 'rua jose antonio santos | 1065 | São Paulo - SP'],
    ['Alameda Santos, 2233, São Paulo', 'alameda santos | 2233 | São Paulo - SP'],
    ['Rua São Carlos, 369 - Vila Industrial, Campinas', 'rua sao carlos | 369 | vila industrial | Campinas - SP'],
    ['Avenida Anhanguera, 86, Niquelândia - GO', 'avenida anhanguera | 86 | Niquelândia - GO'],
    ['Rua Santa Catarina, 17, São João do Oeste', 'rua santa catarina | 17 | São João do Oeste - SC'],
    ['Rua Distrito Federal, 80, Santa Maria - RS', 'rua distrito federal | 80 | Santa Maria - RS'],
    ['Jardim São Paulo, Petrolina', 'jardim sao paulo | Petrolina - PE'],
    [
      'Rua dos Salgueiros, 495 - Jardim São Paulo, Americana',
      'rua dos salgueiros | 495 | jardim sao paulo | Americana - SP',
    ],
    [
      'Recife/PE, Jardim São Paulo, Rua João de Andrade 82',
      'rua joao de andrade | 82 | jardim sao paulo | Recife - PE',
    ],
    ['rua vinte 1740 jardim sao paulo rio claro sp', 'rua vinte | 1740 | jardim sao paulo | Rio Claro - SP'],
    ['Santa Catarina, São Gonçalo - RJ', 'santa catarina | São Gonçalo - RJ'],
    [
      'São Gonçalo/RJ, Santa Catarina, Rua Doutor Getúlio Vargas 1722',
      'rua doutor getulio vargas | 1722 | santa catarina | São Gonçalo - RJ',
    ],
    ['Avenida Marechal Deodoro, 71 - Gonzaga, Santos', 'avenida marechal deodoro | 71 | gonzaga | Santos - SP'],
    ['Rua São Paulo, 1495 - Guaíra, Curitiba', 'rua sao paulo | 1495 | guaira | Curitiba - PR'],
    ['Rua Fidêncio Ramos, 420, São Paulo, São Paulo - SP', 'rua fidencio ramos | 420 | sao paulo | São Paulo - SP'],
    ['Rua A, 1, bairro Planalto, Panambi, RS', 'rua a | 1 | planalto | Panambi - RS'],
  ])('%s → %s', (address, parts) => {
    expect(partsOf(address)).toBe(parts);
  });

  test.each([
    'Rua José Antônio Santos, SP',
    'Rua Doutor Santos, 10',
    'Jardim São Paulo',
    'Rua A, 1, Jardim Santo André, SP',
    'Rua A, 1, Vila Santos - SP',
    'Praça da Sé, 1, Sé',
    'Rua São Paulo',
  ])('and no city is made of it: %s', (address) => {
    expect(readAddress(address)).toMatchObject({ ok: false, reason: 'unknown' });
  });
});

describe('without a state', () => {
  test.each(['Belém - PA', 'Boa Vista - RR', 'Campo Grande - MS', 'Palmas - TO', 'Rio Branco - AC', 'São Luís - MA'])(
    'the name of a capital is the capital: %s',
    (city) => {
      expect(partsOf(`Rua Direita, 10, ${city.slice(0, -5)}`)).toBe(`rua direita | 10 | ${city}`);
    },
  );

  test('a CEP tells which of several is meant', () => {
    expect(partsOf('Rua Direita, 10, Campo Grande, 59680-000')).toBe('rua direita | 10 | Campo Grande - RN | 59680000');
    expect(partsOf('Rua Direita, 10, Bom Jesus, 59270-000')).toBe('rua direita | 10 | Bom Jesus - RN | 59270000');
  });
});

describe('two readings', () => {
  test.each([
    ['Rua A, 1, Socorro, São Paulo', 'Socorro - SP or a neighbourhood of São Paulo - SP'],
    ['Rua dos Franceses, 100, Bela Vista', 'Bela Vista - MS or a neighbourhood of São Paulo - SP'],
    ['Rua do Sítio, 100, Ilhéus, Barra, BA', 'Barra - BA or a neighbourhood of Ilhéus - BA'],
    ['Rua A, 1, Goiás', 'the state GO only, or Goiás - GO'],
    ['Santos/SP, Rua A, 1, Niterói', 'several cities, Niterói - RJ or Santos - SP'],
    ['São Paulo, Bela Vista', 'Bela Vista - MS or São Paulo - SP'],
  ])('%s: both are named', (address, both) => {
    const reading = readAddress(address);
    expect(reading).toMatchObject({ ok: false, reason: 'ambiguous', message: expect.stringContaining(both) });
  });

  test('a neighbourhood before the city leaves one', () => {
    expect(partsOf('Rua A, 1, Centro, Socorro, São Paulo')).toBe('rua a | 1 | centro | Socorro - SP');
  });
});

describe('the CEP', () => {
  test('alone says the city', () => {
    expect(partsOf('39740-000')).toBe('Guanhães - MG | 39740000');
    expect(partsOf('Rua Lemos Cunha, 355, Icaraí, 24230-131')).toBe(
      'rua lemos cunha | 355 | icarai | Niterói - RJ | 24230131',
    );
  });

  test('makes a neighbourhood of a name that is a city’s too', () => {
    expect(partsOf('Rua Badejo, 70, Eldorado, 09972-030')).toBe('rua badejo | 70 | eldorado | Diadema - SP | 09972030');
    expect(partsOf('Avenida Ciro Nunes, 751, Amazonas, 39740-000')).toContain('| amazonas | Guanhães - MG');
  });
});

describe('of 1 000 real addresses', () => {
  const sample = writtenAddresses().filter((_, at) => at % 50 === 0);

  /** The share of the sample in this form that is read right, and the addresses read as another city. */
  function outcome(form: (typeof forms)[string]): { share: number; wrong: string[] } {
    const texts = sample.flatMap((address) => {
      const text = form(address);
      return text === undefined ? [] : [{ code: Number(address.ibge), text, reading: readAddress(text) }];
    });
    const right = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code === code);
    const wrong = texts.filter(({ code, reading }) => reading.ok && reading.municipality.code !== code);
    return { share: right.length / texts.length, wrong: wrong.map(({ text }) => text) };
  }

  test.each(Object.entries(forms))('none is read as another city: %s', (_name, form) => {
    const { share, wrong } = outcome(form);
    expect(wrong).toEqual([]);
    expect(share).toBeGreaterThan(0.985);
  });

  test.each(Object.entries(formsWithoutCity).filter(([name]) => name.includes('CEP')))(
    'the CEP says the city, as often as it is right: %s',
    (_name, form) => {
      expect(outcome(form).share).toBeGreaterThan(0.97);
    },
  );

  test('one that names no city is seldom placed', () => {
    expect(outcome(formsWithoutCity['street, number'] ?? (() => undefined)).wrong.length).toBeLessThan(10);
  });
});
