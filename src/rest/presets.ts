import { getPresets, type Presets, setPresets } from '../accounts/presets.js';
import type { NoKey } from '../base/every-key.js';
import type { SavedBox, SavedPickup } from '../db/tables/accounts.js';
import { etagHeader } from '../http/conditional.js';
import type { Bodies, RestDeps, Schemas, SomeHandlers } from './deps.js';

export const presetsHandlers = ({ db }: RestDeps) => {
  const answer = (presets: Presets) => ({
    status: 200 as const,
    body: { pickups: presets.pickups.map(toSavedPickup), boxes: presets.boxes.map(toSavedBox) },
    headers: etagHeader(presets),
  });
  return {
    getPresets: async ({ ctx: { actor } }) => answer(await getPresets(db, actor.accountId)),

    setPresets: async ({ body: { pickups, boxes, ...others }, ctx: { actor, ifMatch } }) => {
      others satisfies NoKey;
      const lists = { pickups: pickups.map(toPickup), boxes: boxes.map(toBox) };
      return async (trx) => answer(await setPresets(trx, actor.accountId, lists, ifMatch));
    },
  } satisfies SomeHandlers;
};

function toPickup({ name, address, sender, ...others }: Schemas['SavedPickupInput']): SavedPickup {
  others satisfies NoKey;
  const { address: text, complement, ...rest } = address;
  rest satisfies NoKey;
  return {
    name,
    address: text,
    complement: complement ?? null,
    sender: sender ? { name: sender.name, phone: sender.phone ?? null } : null,
  };
}

function toBox({ name, width, height, length, ...others }: Schemas['SavedBoxInput']): SavedBox {
  others satisfies NoKey;
  return { name, width, height, length };
}

const toSavedPickup = ({ name, address, complement, sender }: SavedPickup): Bodies['SavedPickup'] => ({
  name,
  address: { address, complement: complement ?? undefined },
  sender: sender ? { name: sender.name, phone: sender.phone ?? undefined } : undefined,
});

const toSavedBox = ({ name, width, height, length }: SavedBox): Bodies['SavedBox'] => ({ name, width, height, length });
