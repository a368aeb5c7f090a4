import { sql } from 'kysely';
import { shownColours } from '../base/colours.js';
import { notFound } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { row } from '../db/row.js';
import type { Brands } from '../db/tables/accounts.js';
import type { MediaType } from '../db/tables/database.js';
import { transaction } from '../db/transaction.js';
import { cleanPicture, type Picture } from '../files/picture-file.js';
import { lockAccount } from './account.js';

// The logo and the colour of an account, which its recipients see on the tracking page.

export interface Brand {
  color: string | null;
  logoType: MediaType | null;
  logoSize: number | null;
}

const noBrand: Brand = { color: null, logoType: null, logoSize: null };

/** Maximum size of a stored logo: the size on the tracking page, times three for dense screens. */
const logoBox = { width: 480, height: 160 } as const;

export async function getBrand(db: Db, accountId: string): Promise<Brand> {
  const query = db.selectFrom('brands').where('account_id', '=', accountId);
  const size = sql<number | null>`octet_length(logo)`.as('logoSize');
  return (await query.select(['color', 'logo_type as logoType', size]).executeTakeFirst()) ?? noBrand;
}

/** Sets the colour. An empty text removes it. */
export const setBrandColour = (db: Db, accountId: string, color: string): Promise<void> =>
  store(db, accountId, { color: color.toLowerCase() || null });

/** Makes the stored form of a logo. Throws like `cleanPicture`. */
export const cleanLogo = (bytes: Buffer, signal: AbortSignal): Promise<Picture> => cleanPicture(bytes, signal, logoBox);

/** Stores a logo from `cleanLogo`, in place of the present one. */
export const putLogo = (db: Db, accountId: string, { type, bytes }: Picture): Promise<void> =>
  store(db, accountId, { logo_type: type, logo: bytes });

export const removeLogo = (db: Db, accountId: string): Promise<void> =>
  store(db, accountId, { logo_type: null, logo: null });

const nothing = { color: null, logo_type: null, logo: null } as const;

function store(db: Db, accountId: string, change: Partial<Omit<Brands, 'account_id'>>): Promise<void> {
  return transaction(db, async (trx) => {
    // An erasure locks the account, too, so nothing is stored after it.
    await lockAccount(trx, accountId);
    const insert = trx.insertInto('brands').values(row<'brands'>({ account_id: accountId, ...nothing, ...change }));
    await insert.onConflict((present) => present.column('account_id').doUpdateSet(change)).execute();
  });
}

/** Returns the logo. Throws `NOT_FOUND` for an account without a logo. */
export async function getLogo(db: Db, accountId: string): Promise<Picture> {
  const query = db.selectFrom('brands').select(['logo_type as type', 'logo as bytes']);
  const { type, bytes } = (await query.where('account_id', '=', accountId).executeTakeFirst()) ?? {};
  if (!(type && bytes)) throw notFound('logo');
  return { type, bytes };
}

/** A brand in the form of the contract. `logoPath` is the address of the logo. */
export function toBranding({ color, logoType, logoSize }: Brand, logoPath: string) {
  const shown = color === null ? undefined : shownColours(color);
  return {
    color: color ?? undefined,
    light_color: shown?.light,
    dark_color: shown?.dark,
    logo: logoType && logoSize ? { path: logoPath, media_type: logoType, size: logoSize } : undefined,
  };
}
