import type { Db } from '../../src/db/connect.js';
import type { OrderInput } from '../../src/orders/order.js';
import type { Send } from '../../src/webhook/http-client.js';
import { waitFor } from '../support/receiver.js';
import { authority, workerFor } from '../webhook/support.js';

/** Personal data, different for each order. */
export const people = {
  finished: {
    ...{ name: 'Zulmira Quaresma', phone: '+55 11 97531-8642', complement: 'fundos', note: 'tocar o sino' },
    ...{ sender: 'Loja do Xavier', senderPhone: '+55 11 95175-3951', fact: 'cliente desde 1987' },
  },
  open: {
    ...{ name: 'Yolanda Teixeira', phone: '+55 11 96420-1357', complement: 'bloco B', note: 'deixar na portaria' },
    ...{ sender: 'Ateliê da Wanda', senderPhone: '+55 11 94682-8246', fact: 'presente de casamento' },
  },
};

export const inputOf = ({ name, phone, complement, note, ...others }: typeof people.finished): OrderInput => ({
  metadata: [['note', others.fact]],
  pickups: [
    {
      sender: { name: others.sender, phone: others.senderPhone },
      address: { address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200', complement },
      instructions: note,
    },
  ],
  packages: [
    {
      pickupIndex: 0,
      recipient: { name, phone },
      address: { address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000', complement },
      instructions: note,
      dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
    },
  ],
});

/** A receiver whose answers repeat personal data of the recipient. */
const gossip: Send = async () => ({
  outcome: { kind: 'answered', status: 200, body: `no ${people.finished.name} here`, durationMs: 1 },
  reused: false,
});

/** Sends deliveries until `count` attempts were made. */
export async function sendAll(db: Db, count: number): Promise<void> {
  const engine = workerFor(db, authority, [], { send: gossip });
  engine.start();
  const attempts = async () => (await db.selectFrom('webhook_attempts').select('id').execute()).length;
  await waitFor(async () => (await attempts()) >= count, 'attempts');
  await engine.stop();
}
