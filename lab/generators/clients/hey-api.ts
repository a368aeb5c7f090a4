import { client as restClient } from './A/client.gen.js';
import * as rest from './A/index.js';
import { client as operatorClient } from './D/client.gen.js';
import * as operator from './D/index.js';
import type { Client } from './drive.js';
import { env } from './env.js';

restClient.setConfig({ baseUrl: env('MALOTE_URL') });
operatorClient.setConfig({ baseUrl: env('MALOTE_URL') });

function must<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

export const client: Client = {
  login: async (body) => must(await rest.login({ body })),
  createProduct: async (auth, body) => must(await rest.createProduct({ auth, body })),
  createOrder: async (auth, body) => must(await rest.createOrder({ auth, body })),
  listOrders: async (auth) => must(await rest.listOrders({ auth, query: { page_size: 1 } })),
  getOrder: async (auth, id) => must(await rest.getOrder({ auth, path: { id } })),
  missingOrder: async (auth, id) => (await rest.getOrder({ auth, path: { id } })).error?.error.code,
  getLabel: async (auth, loggi_key) =>
    new Blob([must(await rest.getPackageLabel({ auth, path: { loggi_key }, parseAs: 'blob' }))]),
  recordMovement: async (auth, movement) =>
    must(await operator.recordMovements({ auth, body: { movements: [movement] } })).results[0]?.result,
  putPhoto: async (auth, loggi_key, body) => {
    const { error } = await operator.putProofPhoto({ auth, path: { loggi_key }, body });
    if (error) throw new Error(JSON.stringify(error));
  },
  sendAllNow: async (auth) => must(await operator.sendNow({ auth, body: { all: true } })),
};
