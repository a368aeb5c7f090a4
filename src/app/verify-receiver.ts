import type { VerifyReceiver } from '../outbox/verification.js';
import { createHttpClient } from '../webhook/http-client.js';
import { createNames } from '../webhook/lookup.js';
import { createVerifier } from '../webhook/receiver-checks/verify.js';
import { standardSettings } from '../webhook/settings.js';

/** Sends for `malote verify-receiver` with the worker's client, on names and addresses that are checked alike. */
export const verifyReceiver: VerifyReceiver = async (receiver, began) => {
  const { addresses, extraCa } = receiver;
  const { lookup } = createNames(addresses);
  const ca = extraCa === undefined ? {} : { extraCa };
  const client = createHttpClient({ ...standardSettings, addresses, ...ca, lookup });
  try {
    return await createVerifier({ send: client.send, lookup })(receiver, began);
  } finally {
    client.close();
  }
};
