import { createHash } from 'node:crypto';
import { type RawBuilder, sql } from 'kysely';
import type { ActionRequired, Location, NewMovement, PickupAgency } from '../movement.js';

/** The facts that decide a package's movements in the sandbox. `postalCode` is the recipient's CEP, 8 digits. */
export interface SandboxPackage {
  loggiKey: string;
  origin: Location;
  destination: Location;
  postalCode: string | null;
}

/** A future movement. `pause` is the time before it, in multiples of the mean pause. */
export interface CourseStep extends Omit<NewMovement, 'happenedAt'> {
  pause: number;
}

/** The shortest pause, in multiples of the mean. The longest is 2 minus this. */
export const MIN_PAUSE = 0.5;

interface Scene {
  statusCode: number;
  at: 'origin' | 'destination';
}

const here = (statusCode: number): Scene => ({ statusCode, at: 'origin' });
const there = (statusCode: number): Scene => ({ statusCode, at: 'destination' });

const arrival = there(17);
const outbound = [here(14), here(17), here(3), arrival];
const delivered = [there(11), there(5)];
const nobodyThere = [there(11), there(18)];

interface Plot {
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

/** All movements of a package after its first, up to a final status. The same package always gets the same ones. */
export function courseOf(source: SandboxPackage): CourseStep[] {
  const { loggiKey, origin, destination } = source;
  const travels = origin.city !== destination.city || origin.state !== destination.state;
  const scenes = plotOf(source).scenes.filter((scene) => scene !== arrival || travels);
  return scenes.map(({ statusCode, at }, index) => ({
    id: stepId(loggiKey, index + 1),
    loggiKey,
    statusCode,
    location: at === 'origin' ? origin : destination,
    ...(statusCode === 6 && { actionRequired: problemOf(loggiKey) }),
    ...(statusCode === 10 && { pickupAgency: agencyOf(source) }),
    pause: MIN_PAUSE + chance(loggiKey, `pause ${index + 1}`) * 2 * (1 - MIN_PAUSE),
  }));
}

/** Chooses a plot. An agency needs the recipient's CEP; without it the package is delivered at the second visit. */
function plotOf({ loggiKey, postalCode }: SandboxPackage): Plot {
  let rest = chance(loggiKey, 'plot') * plots.reduce((sum, { share }) => sum + share, 0);
  const plot = plots.find(({ share }) => {
    rest -= share;
    return rest < 0;
  });
  return plot === undefined || (plot === agency && postalCode === null) ? absent : plot;
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
function agencyOf({ loggiKey, destination, postalCode }: SandboxPackage): PickupAgency {
  const number = 1 + Math.floor(chance(loggiKey, 'number') * 999);
  const address = `${pick(streets, chance(loggiKey, 'street'))}, ${number}`;
  return { address, ...destination, postalCode: `${postalCode?.slice(0, 5)}970` };
}

function pick<T>(list: readonly [T, ...T[]], draw: number): T {
  return list[Math.floor(draw * list.length)] ?? list[0];
}

// A course follows from the package's key alone. So nothing is stored, and restarts and other processes get the same
// course.

const SCOPE = 'malote sandbox';

const digest = (loggiKey: string, purpose: string): string =>
  createHash('sha256').update(`${SCOPE}/${loggiKey.toLowerCase()}/${purpose}`).digest('hex');

/** A number in [0, 1), evenly spread over packages and purposes. */
const chance = (loggiKey: string, purpose: string): number =>
  Number.parseInt(digest(loggiKey, purpose).slice(0, 13), 16) / 2 ** 52;

/** The movement id of a step, counted from 1: a UUIDv8 (RFC 9562, 5.8). */
export function stepId(loggiKey: string, step: number): string {
  const hex = digest(loggiKey, String(step));
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

export const stepIdIn = (loggiKey: RawBuilder<unknown>, step: RawBuilder<unknown>): RawBuilder<string> => sql<string>`
  overlay(overlay(
    left(encode(sha256(convert_to(${SCOPE}::text || '/' || ${loggiKey} || '/' || ${step}, 'UTF8')), 'hex'), 32)
    placing '8' from 13) placing '8' from 17)::uuid`;
