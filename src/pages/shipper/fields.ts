import type { components } from '../../../generated/rest.js';
import type { Text } from '../language.js';
import { shipperFields as labels } from '../texts.js';

export type OrderCreate = components['schemas']['OrderCreate'];
type PackageInput = components['schemas']['PackageInput'];

interface PackageField {
  /** Where the contract has it, in a package; the form has it under this name, too. */
  path: string;
  /** The heading of its column in a file of orders. */
  column: string;
  label: Text;
  isRequired?: boolean;
  inputMode?: 'decimal';
  isFlag?: boolean;
  example: string;
}

/** Fields of a package, in the order of the form and of a file's columns. */
export const packageFields: readonly PackageField[] = [
  { path: 'recipient.name', column: 'nome', label: labels.name, isRequired: true, example: 'Maria da Silva' },
  { path: 'recipient.phone', column: 'telefone', label: labels.phone, isRequired: true, example: '+55 11 91234-5678' },
  { path: 'recipient.tax_id', column: 'cpf_cnpj', label: labels.taxId, example: '' },
  {
    path: 'address.address',
    column: 'endereco',
    label: labels.address,
    isRequired: true,
    example: 'Rua Oscar Freire, 300, São Paulo - SP, 01426-000',
  },
  { path: 'address.complement', column: 'complemento', label: labels.complement, example: 'ap 12' },
  { path: 'instructions', column: 'instrucoes', label: labels.instructions, example: 'deixar na portaria' },
  ...(['width', 'height', 'length'] as const).map((side, at) => ({
    path: `dimensions.${side}`,
    column: ['largura_cm', 'altura_cm', 'comprimento_cm'][at] ?? '',
    label: labels[side],
    isRequired: true,
    inputMode: 'decimal' as const,
    example: ['20', '10', '30'][at] ?? '',
  })),
  {
    path: 'dimensions.weight',
    column: 'peso_kg',
    label: labels.weight,
    isRequired: true,
    inputMode: 'decimal',
    example: '1,2',
  },
  { path: 'declared_value', column: 'valor_declarado', label: labels.value, inputMode: 'decimal', example: '349,90' },
  { path: 'fiscal_document.key', column: 'chave_fiscal', label: labels.fiscalKey, example: '' },
  { path: 'delivery_pin', column: 'pin', label: labels.pin, isFlag: true, example: '' },
];

type TextOf = (path: string) => string;

/** The package of texts by the paths of its fields. What is no number is null in JSON, which the contract refuses. */
export function packageOf(textOf: TextOf): PackageInput {
  const optional = <Name extends string>(name: Name, text: string) => (text === '' ? {} : { [name]: text });
  const key = textOf('fiscal_document.key');
  return {
    pickup_index: 0,
    recipient: {
      name: textOf('recipient.name'),
      phone: textOf('recipient.phone'),
      ...optional('tax_id', textOf('recipient.tax_id')),
    },
    address: { address: textOf('address.address'), ...optional('complement', textOf('address.complement')) },
    ...optional('instructions', textOf('instructions')),
    dimensions: {
      width: decimal(textOf('dimensions.width')),
      height: decimal(textOf('dimensions.height')),
      length: decimal(textOf('dimensions.length')),
      weight: Math.round(decimal(textOf('dimensions.weight')) * GRAMS),
    },
    ...optional('declared_value', amount(textOf('declared_value'))),
    ...(key !== '' && { fiscal_document: { kind: documentOf(key), key } }),
    ...(/^(sim|s|yes|y|x|1)$/i.test(textOf('delivery_pin')) && { delivery_pin: true }),
  };
}

const GRAMS = 1_000;

/** `1.234,56` and `1234.56`; NaN for what is no number. */
function decimal(text: string): number {
  const plain = text.includes(',') ? text.replaceAll('.', '').replace(',', '.') : text;
  return /^\d+(\.\d+)?$/.test(plain) ? Number(plain) : Number.NaN;
}

const amount = (text: string): string => (Number.isNaN(decimal(text)) ? text : decimal(text).toFixed(2));

/** The model that an access key names in its digits 21 and 22. */
const documentOf = (key: string) => (key.replaceAll(' ', '').slice(20, 22) === '99' ? 'dce' : 'nfe');

/** The name that people know a field of `createOrder` by; undefined for one that no form and no column has. */
export function labelOf(field: string): { label: Text; column: string } | undefined {
  const path = field.replace(/^packages\.\d+\./, '');
  return packageFields.find((each) => each.path === path) ?? orderLabels[field];
}

const orderLabels: Readonly<Record<string, { label: Text; column: string }>> = {
  external_id: { label: labels.reference, column: 'referencia' },
  service: { label: labels.service, column: 'servico' },
  'pickups.0.address.address': { label: labels.pickup, column: 'coleta' },
};
