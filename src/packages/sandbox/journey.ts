import type { ActionRequired, Location, NewMovement, PickupAgency } from '../movement.js';
import { chance, stepId } from './chance.js';

/** What the way of a package depends on. `postalCode` is the recipient's CEP, 8 digits. */
export interface Parcel {
  loggiKey: string;
  origin: Location;
  destination: Location;
  postalCode: string | null;
}

/** A movement to come; `pause` is the time before it, in mean pauses. */
export interface JourneyStep extends Omit<NewMovement, 'happenedAt'> {
  pause: number;
}

/** No pause is shorter than this part of the mean; none is longer than twice the mean less it. */
export const LEAST_PAUSE = 0.5;

interface Scene {
  statusCode: number;
  at: 'origin' | 'destination';
}

const here = (statusCode: number): Scene => ({ statusCode, at: 'origin' });
const there = (statusCode: number): Scene => ({ statusCode, at: 'destination' });

/** Only where the cities differ. */
const arrival = there(17);
const outbound = [here(14), here(17), here(3), arrival];
const delivered = [there(11), there(5)];
const nobodyThere = [there(11), there(18)];

interface Plot {
  /** Of 100 packages, about so many. */
  share: number;
  scenes: readonly Scene[];
}

const absent: Plot = { share: 20, scenes: [...outbound, ...nobodyThere, ...delivered] };
const agency: Plot = { share: 12, scenes: [...outbound, ...nobodyThere, ...nobodyThere, there(10), there(5)] };
const plots: readonly Plot[] = [
  { share: 45, scenes: [...outbound, ...delivered] },
  absent,
  { share: 15, scenes: [...outbound, there(6), there(3), ...delivered] },
  agency,
  { share: 8, scenes: [...outbound, ...nobodyThere, ...nobodyThere, there(7), here(17), here(8)] },
];

/**
 * All movements of a package after its first, up to a final status: what a carrier's scanners might have told. The same
 * parcel always goes the same way.
 */
export function journeyOf(parcel: Parcel): JourneyStep[] {
  const { loggiKey, origin, destination } = parcel;
  const travels = origin.city !== destination.city || origin.state !== destination.state;
  const scenes = plotOf(parcel).scenes.filter((scene) => scene !== arrival || travels);
  return scenes.map(({ statusCode, at }, index) => ({
    id: stepId(loggiKey, index + 1),
    loggiKey,
    statusCode,
    location: at === 'origin' ? origin : destination,
    ...(statusCode === 6 && { actionRequired: problemOf(loggiKey) }),
    ...(statusCode === 10 && { pickupAgency: agencyOf(parcel) }),
    pause: LEAST_PAUSE + chance(loggiKey, `pause ${index + 1}`) * 2 * (1 - LEAST_PAUSE),
  }));
}

/** Without the recipient's CEP no agency near can be named: somebody opens at the second visit then. */
function plotOf({ loggiKey, postalCode }: Parcel): Plot {
  let left = chance(loggiKey, 'plot') * plots.reduce((sum, { share }) => sum + share, 0);
  const drawn = plots.find(({ share }) => {
    left -= share;
    return left < 0;
  });
  return drawn === undefined || (drawn === agency && postalCode === null) ? absent : drawn;
}

const problems: readonly [ActionRequired, ...ActionRequired[]] = [
  {
    reasonLabel: 'Endereço incompleto',
    reasonDescription: 'O número do endereço não foi encontrado. Confirme o endereço completo.',
  },
  {
    reasonLabel: 'Destinatário desconhecido',
    reasonDescription:
      'Ninguém com este nome foi encontrado no endereço. Confirme o nome e o telefone do destinatário.',
  },
  {
    reasonLabel: 'Embalagem danificada',
    reasonDescription: 'A embalagem chegou danificada à base. Autorize a reembalagem ou a devolução.',
  },
];

const problemOf = (loggiKey: string): ActionRequired => pick(problems, chance(loggiKey, 'problem'));

const streets = ['Rua XV de Novembro', 'Avenida Getúlio Vargas', 'Rua Sete de Setembro', 'Praça da Bandeira'] as const;

/** An agency in the recipient's postal area: agencies have the suffix 970. */
function agencyOf({ loggiKey, destination, postalCode }: Parcel): PickupAgency {
  const number = 1 + Math.floor(chance(loggiKey, 'number') * 999);
  const address = `${pick(streets, chance(loggiKey, 'street'))}, ${number}`;
  return { address, ...destination, postalCode: `${postalCode?.slice(0, 5)}970` };
}

function pick<T>(list: readonly [T, ...T[]], draw: number): T {
  return list[Math.floor(draw * list.length)] ?? list[0];
}
