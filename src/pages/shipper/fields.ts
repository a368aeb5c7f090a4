import { degrees, measure, plainAmount } from '../amounts.js';
import { plainDate, plainTime } from '../dates.js';
import type { BodyOf } from '../operations.js';
import { shipperFields as labels, type Text } from '../texts.js';

export type OrderCreate = BodyOf<'POST /api/v1/orders'>;
type PackageInput = OrderCreate['packages'][number];

export interface OrderField {
  /** The path of the field in the contract. The field of the form has the same name. */
  path: string;
  /** The heading of the column in a file of orders. */
  column: string;
  label: Text;
  example: string;
  isRequired?: boolean;
  inputMode?: 'decimal';
  type?: 'text' | 'date' | 'datetime-local';
  isFlag?: boolean;
  /** The words that a cell may have. Another word is an error, and no default replaces it. */
  words?: RegExp;
}

function field(path: keyof typeof labels, column: string, example = '', kind: Partial<OrderField> = {}): OrderField {
  return { path, column, label: labels[path], example, ...kind };
}

const isRequired = true;
const size = { isRequired, inputMode: 'decimal' } as const;

/** Fields of an order, apart from its packages. */
export const orderFields: readonly OrderField[] = [
  field('external_id', 'referencia', 'PEDIDO-1'),
  field('pickups.0.address.address', 'coleta'),
  field('pickups.0.sender.name', 'remetente'),
  field('pickups.0.sender.phone', 'remetente_telefone'),
  field('ready_at', 'pronto_em'),
  field('service', 'servico', 'expressa', { words: /^(expressa|express|econ[oô]mica|economy)?$/i }),
];

/** Fields of a package, by path. The form and the columns of a file have this order. */
export const packageFields: readonly OrderField[] = [
  field('recipient.name', 'nome', 'Maria da Silva', { isRequired }),
  field('recipient.phone', 'telefone', '+55 11 91234-5678', { isRequired }),
  field('recipient.tax_id', 'cpf_cnpj'),
  field('address.address', 'endereco', 'Rua Oscar Freire, 300, São Paulo - SP, 01426-000', { isRequired }),
  field('address.complement', 'complemento', 'ap 12'),
  field('instructions', 'instrucoes', 'deixar na portaria'),
  field('dimensions.width', 'largura_cm', '20', size),
  field('dimensions.height', 'altura_cm', '10', size),
  field('dimensions.length', 'comprimento_cm', '30', size),
  field('dimensions.weight', 'peso_kg', '1,2', size),
  field('declared_value', 'valor_declarado', '349,90', { inputMode: 'decimal' }),
  field('deliver_from', 'entregar_a_partir_de', '', { type: 'date' }),
  field('deliver_by', 'entregar_ate', '', { type: 'date' }),
  field('fiscal_document.key', 'chave_fiscal'),
  field('reference', 'referencia_pacote'),
  field('delivery_pin', 'pin', '', { isFlag: true, words: /^(sim|s|yes|y|x|1|n[aã]o|n|no|0)?$/i }),
];

/** Fields of a package that only files have: coordinates that another program knows. */
export const fileOnlyFields: readonly OrderField[] = [
  field('address.location.latitude', 'latitude'),
  field('address.location.longitude', 'longitude'),
];

/** Returns the trimmed text for a path of `createOrder`, from a form or from a row of a file. */
type TextOf = (path: string) => string;

/** Makes an order of these texts, for `createOrder` and for its estimate. */
export function orderOf(textOf: TextOf, packageCount = 1): OrderCreate {
  return {
    external_id: textOf('external_id') || undefined,
    ready_at: plainTime(textOf('ready_at')) || undefined,
    service: /^econ/i.test(textOf('service')) ? 'economy' : undefined,
    pickups: [
      {
        address: addressOf((path) => textOf(`pickups.0.address.${path}`)),
        sender: senderOf(textOf('pickups.0.sender.name'), textOf('pickups.0.sender.phone')),
      },
    ],
    packages: Array.from({ length: packageCount }, (_, at) => packageOf(`packages.${at}`, textOf)),
  };
}

/** Makes the sender; without name and phone it is left out. The contract refuses a phone without a name. */
const senderOf = (name: string, phone: string) =>
  name + phone === '' ? undefined : { name, phone: phone || undefined };

/** Makes a package of these texts. A text that is not a number becomes null in JSON, which the contract refuses. */
function packageOf(path: string, textIn: TextOf): PackageInput {
  const textOf: TextOf = (field) => textIn(`${path}.${field}`);
  const key = textOf('fiscal_document.key');
  return {
    pickup_index: 0,
    recipient: {
      name: textOf('recipient.name'),
      phone: textOf('recipient.phone'),
      tax_id: textOf('recipient.tax_id') || undefined,
    },
    address: addressOf((path) => textOf(`address.${path}`)),
    instructions: textOf('instructions') || undefined,
    dimensions: {
      width: measure(textOf('dimensions.width')),
      height: measure(textOf('dimensions.height')),
      length: measure(textOf('dimensions.length')),
      weight: Math.round(measure(textOf('dimensions.weight')) * GRAMS),
    },
    declared_value: plainAmount(textOf('declared_value'), `${path}.declared_value`) || undefined,
    deliver_from: plainDate(textOf('deliver_from')) || undefined,
    deliver_by: plainDate(textOf('deliver_by')) || undefined,
    fiscal_document: key === '' ? undefined : { kind: documentOf(key), key },
    reference: textOf('reference') || undefined,
    delivery_pin: /^[sxy1]/i.test(textOf('delivery_pin')) || undefined,
  };
}

export const addressOf = (textOf: TextOf) => ({
  address: textOf('address'),
  complement: textOf('complement') || undefined,
  location: locationOf(textOf('location.latitude'), textOf('location.longitude')),
});

/** Makes the coordinates of these texts. Undefined if both are empty. */
const locationOf = (latitude: string, longitude: string) =>
  latitude + longitude === '' ? undefined : { latitude: degrees(latitude), longitude: degrees(longitude) };

export const GRAMS = 1_000;

/** The kind of fiscal document, from digits 21 and 22 (model) of its access key. */
const documentOf = (key: string) => (key.replaceAll(' ', '').slice(20, 22) === '99' ? 'dce' : 'nfe');
