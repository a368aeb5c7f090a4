import { checkDigit } from '../../../src/base/tax.js';

/** The parts of a mutation's text that differ between orders. */
export interface Variation {
  /** Stands in every text of the order, so that no two orders share one. */
  number: number | string;
  paymentMethod: number;
  /** Gives the document a new name, so that its shape is new, too. */
  named: boolean;
  /** Fills every optional field. `total` is the price of such an order. */
  whole?: { total?: string };
}

const text = JSON.stringify;

const places = [
  ['Rua dos Pinheiros', 'Pinheiros, São Paulo - SP, 05422-000'],
  ['Rua Barão de Jaguara', 'Centro, Campinas - SP, 13015-001'],
  ['Avenida Ana Costa', 'Gonzaga, Santos - SP, 11060-001'],
  ['Avenida do Batel', 'Batel, Curitiba - PR, 80420-090'],
] as const;

/** A house number that repeats only after thousands of orders. */
const addressOf = (number: Variation['number'], at: number): string => {
  const [street, place] = places[at % places.length] ?? places[0];
  return `${street}, ${typeof number === 'number' ? 1 + (number % 9973) : number} - ${place}`;
};

const instructionsOf = (number: Variation['number'], at: number): string =>
  `Tocar a campainha ${at} do número ${number}.`;

function stop(number: Variation['number'], at: number): string {
  return `address: { address: ${text(addressOf(number, at))}, complement: ${text(`ap ${at} ${number}`)} }
          instructions: ${text(instructionsOf(number, at))}`;
}

/** A key that no other order has. Packages share a key only if they go to the same recipient. */
export function fiscalKey(number: Variation['number'], at: number): string {
  const key = `3526091420016600016655001${`${number}${at}`.padStart(18, '0')}`;
  return `${key}${checkDigit(key, 9)}`;
}

const TAX_ID = '52998224725';
const DECLARED = '349.90';

const carried = (number: Variation['number'], at: number): string =>
  `declaredValue: "${DECLARED}" fiscalDocument: { kind: nfe, key: "${fiscalKey(number, at)}" }`;

function parcel({ number, whole }: Variation, at: number): string {
  return `{
          pickupIndex: 0
          recipient: { name: ${text(`Bruno Lima ${at} ${number}`)}, phone: "+55 11 98888-777${at}" ${whole ? `taxId: "${TAX_ID}"` : ''} }
          ${whole ? carried(number, at) : ''}
          ${stop(number, at)}
          dimensions: { width: ${20 + at}, height: 10, length: 30, weight: ${1200 + at} }
        }`;
}

/** An order with 1 pickup and 3 packages in the form that clients write: with the values in the text. */
export function mutation(variation: Variation): string {
  const { number, paymentMethod, named, whole } = variation;
  return `mutation${named ? ` Order${number}` : ''} {
    createOrder(
      input: {
        paymentMethod: ${paymentMethod}
        ${whole ? `service: express expectedTotal: ${text(whole.total)}` : ''}
        pickups: [{ ${stop(number, 3)} }]
        packages: [${[0, 1, 2].map((at) => parcel(variation, at)).join(' ')}]
      }
    ) {
      success
      orders {
        pk
        pricing { totalCm }
        packages {
          pickupWaypoint { index eta legDistance }
          waypoint { index eta legDistance }
        }
      }
      errors { field message }
    }
  }`;
}

const restStop = (number: Variation['number'], at: number) => ({
  address: { address: addressOf(number, at), complement: `ap ${at} ${number}` },
  instructions: instructionsOf(number, at),
});

/** The same order as a REST body. */
export const restBody = ({ number, paymentMethod, whole }: Variation) => ({
  payment_method_id: paymentMethod,
  ...(whole && { service: 'express', expected_total: whole.total }),
  pickups: [restStop(number, 3)],
  packages: [0, 1, 2].map((at) => ({
    pickup_index: 0,
    recipient: {
      name: `Bruno Lima ${at} ${number}`,
      phone: `+55 11 98888-777${at}`,
      ...(whole && { tax_id: TAX_ID }),
    },
    ...(whole && { declared_value: DECLARED, fiscal_document: { kind: 'nfe', key: fiscalKey(number, at) } }),
    ...restStop(number, at),
    dimensions: { width: 20 + at, height: 10, length: 30, weight: 1200 + at },
  })),
});
