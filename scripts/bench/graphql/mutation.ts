/** How one text of the mutation differs from the others. */
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

function stop(what: string, number: Variation['number'], at: number): string {
  const address = `Rua ${what} ${number}, ${at + 1}${at}8 - ${places[at % places.length]}`;
  return `address: { address: ${text(address)}, complement: ${text(`ap ${at} ${number}`)} }
          instructions: ${text(`Tocar a campainha ${at} do número ${number}.`)}`;
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
