import type { Generated } from 'kysely';
import type { Dimensions } from '../../base/dimensions.js';
import type { Big, MaybeStamp, Stamp } from '../columns.js';

export interface Products extends Dimensions {
  id: string;
  account_id: string;
  sku: string;
  name: string;
  description: string;
  price_centavos: Big;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: MaybeStamp;
}
