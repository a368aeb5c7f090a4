/** The differences of one text of the mutation from the others. */
export interface Variation {
  /** In every text of the order, so that no two orders share one. */
  number: number | string;
  paymentMethod: number;
  /** Gives the document a name that no other has: then its shape is a new one as well. */
  named: boolean;
}

const text = JSON.stringify;

const places = [
  'Pinheiros, São Paulo - SP, 05422-000',
  'Centro, Campinas - SP, 13012-000',
  'Gonzaga, Santos - SP, 11060-000',
  'Batel, Curitiba - PR, 80420-090',
];

const addressOf = (what: string, number: Variation['number'], at: number): string =>
  `Rua ${what} ${number}, ${at + 1}${at}8 - ${places[at % places.length]}`;

const instructionsOf = (number: Variation['number'], at: number): string =>
  `Tocar a campainha ${at} do número ${number}.`;

function stop(what: string, number: Variation['number'], at: number): string {
  return `address: { address: ${text(addressOf(what, number, at))}, complement: ${text(`ap ${at} ${number}`)} }
          instructions: ${text(instructionsOf(number, at))}`;
}

function parcel(number: Variation['number'], at: number): string {
  return `{
          pickupIndex: 0
          recipient: { name: ${text(`Bruno Lima ${at} ${number}`)}, phone: "+55 11 98888-777${at}" }
          ${stop('dos Pinheiros', number, at)}
          dimensions: { width: ${20 + at}, height: 10, length: 30, weight: ${1200 + at} }
        }`;
}

/** An order with 1 pickup and 3 packages as clients write it: the values in the text. */
export function mutation({ number, paymentMethod, named }: Variation): string {
  return `mutation${named ? ` Order${number}` : ''} {
    createOrder(
      input: {
        paymentMethod: ${paymentMethod}
        pickups: [{ ${stop('Augusta', number, 3)} }]
        packages: [${[0, 1, 2].map((at) => parcel(number, at)).join(' ')}]
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

const restStop = (what: string, number: Variation['number'], at: number) => ({
  address: { address: addressOf(what, number, at), complement: `ap ${at} ${number}` },
  instructions: instructionsOf(number, at),
});

/** The same order as the body of a REST request. */
export const restBody = ({ number, paymentMethod }: Variation) => ({
  payment_method_id: paymentMethod,
  pickups: [restStop('Augusta', number, 3)],
  packages: [0, 1, 2].map((at) => ({
    pickup_index: 0,
    recipient: { name: `Bruno Lima ${at} ${number}`, phone: `+55 11 98888-777${at}` },
    ...restStop('dos Pinheiros', number, at),
    dimensions: { width: 20 + at, height: 10, length: 30, weight: 1200 + at },
  })),
});
