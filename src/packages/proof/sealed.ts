import type { KeyRing } from '../../base/secrets/keys.js';
import { open, seal } from '../../base/secrets/seal.js';
import type { PictureKind } from '../../db/tables/database.js';
import { sealed } from '../../db/tables/sealed.js';

type Sealed = 'facts' | 'pin' | PictureKind;

/** The owner of sealed bytes. They do not open for another package, or as another kind of data. */
function ownerOf(loggiKey: string, what: Sealed): string {
  if (what === 'facts') return sealed.proofs.ownerOf([loggiKey]);
  return what === 'pin' ? sealed.pins.ownerOf([loggiKey]) : sealed.pictures.ownerOf([loggiKey, what]);
}

export const sealFor = (keys: KeyRing, loggiKey: string, what: Sealed, plain: string | Uint8Array): Buffer =>
  seal(keys, plain, ownerOf(loggiKey, what));

/** Opens sealed bytes. Throws SealError if the ring lacks the key. */
export const openFor = (keys: KeyRing, loggiKey: string, what: Sealed, bytes: Uint8Array): Buffer =>
  open(keys, bytes, ownerOf(loggiKey, what));
