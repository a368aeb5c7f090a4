import { erased } from '../../base/erased.js';
import { type JsonKeys, kept } from './classes.js';
import type { WebhookBody } from './deliveries.js';

const location = { city: kept, state: kept } as const;
const status = {
  code: kept,
  highLevelStatus: kept,
  description: kept,
  actionRequired: { reasonDescription: erased.text, reasonLabel: erased.text },
  updatedTime: kept,
  pickupAgency: { address: erased.text, city: kept, state: kept, postalCode: erased.postalCode },
} as const;

export const bodyKeys: JsonKeys<WebhookBody> = {
  packages: {
    loggiKey: kept,
    trackingCode: kept,
    barcode: kept,
    status,
    location,
    promisedDate: kept,
    requestTime: kept,
    trackingHistory: { status, location },
  },
};
