import type { components as Operator } from '../../generated/operator.js';
import type { components as Rest } from '../../generated/rest.js';
import { HOUR_MS } from '../../src/base/clock.js';
import { type Day, dayAfter, dayOf } from '../../src/routing/calendar.js';
import { between, choose, type Random } from '../../test/support/random.js';
import { type City, one, type PlannedPackage } from './carrier.js';

/** The course of a package: at the times that its order was promised, or, of a few, with the troubles of the trade. */

type Package = Rest['schemas']['OrderPackage'];
type Movement = Omit<Operator['schemas']['MovementInput'], 'id' | 'loggi_key'>;

/** A movement, an answer of the shop to a problem, or the operator's note that the answer was acted upon. */
export type Step = { at: number } & ({ movement: Movement } | { answer: string } | { done: string });

const plots = [
  [85, 'delivered'],
  [5, 'late'],
  [5, 'absent'],
  [3, 'agency'],
  [1, 'returned'],
  [1, 'lost'],
] as const;
export type Plot = (typeof plots)[number][1] | 'stuck' | 'problem';

export const plotOf = (random: Random): Plot => choose(random, plots, 'delivered');

/** Steps of a package in the order of their times, those to come too. */
export function courseOf(random: Random, plot: Plot, from: City, planned: PlannedPackage, placed: Package): Step[] {
  const { to } = planned;
  const steps: Step[] = [];
  const add = (statusCode: number, at: number, { name: city, state }: City = to, further: Partial<Movement> = {}) => {
    // Some minutes and seconds that no clock rounds, and never before the last step.
    const time = Math.max(at, (steps.at(-1)?.at ?? 0) + 120_000) + between(random, 10_000, 600_000);
    const happened_at = new Date(time).toISOString();
    steps.push({ at: time, movement: { status_code: statusCode, happened_at, location: { city, state }, ...further } });
    return time;
  };
  const collectedAt = add(14, Date.parse(placed.pickup_waypoint.eta), from);
  const due = Date.parse(placed.waypoint.eta);
  const arrival = plot === 'late' ? workdays(due, between(random, 1, 2)) : due;
  const gap = arrival - collectedAt;
  // A courier takes along packages for the same day; the others go through bases.
  const isDirect = dayOf(collectedAt).date === dayOf(arrival).date && plot !== 'stuck';
  if (!isDirect) add(17, collectedAt + Math.min(gap / 4, 2 * HOUR_MS), from);
  if (plot === 'lost') {
    add(9, workdays(due, 3), from);
    return steps;
  }
  if (!isDirect && from.name !== to.name) {
    add(3, Math.min(dayOf(collectedAt).noon + 9 * HOUR_MS, collectedAt + gap / 2), from);
    add(17, Math.min(atHour(arrival, 6), arrival - HOUR_MS));
  }
  if (plot === 'stuck') return steps;
  const visit = (at: number) => add(11, Math.min(atHour(at, 8), at - HOUR_MS / 2));
  const next = (at: number): number => atHour(workdays(at, 1), between(random, 9, 17));
  const deliver = (at: number) => add(5, at, to, { proof: proofOf(random, planned) });
  const miss = (at: number) => {
    visit(at);
    return add(18, at, to, { attempt: { outcome: 'absent', next_on: dayOf(workdays(at, 1)).date } });
  };
  if (plot === 'delivered' || plot === 'late') {
    visit(arrival);
    deliver(arrival);
  } else if (plot === 'absent') {
    const again = next(miss(arrival));
    visit(again);
    deliver(again);
  } else if (plot === 'problem') solve(random, steps, { planned, at: arrival, add, visit, deliver, next });
  else if (plot === 'agency') {
    const at = add(10, miss(next(miss(arrival))) + 3 * HOUR_MS, to, { pickup_agency: agencyOf(random, to) });
    deliver(next(workdays(at, 2)));
  } else {
    const refusedAt = add(7, miss(next(miss(arrival))) + 2 * HOUR_MS);
    add(17, workdays(refusedAt, 3), from);
    add(8, next(workdays(refusedAt, 3)), from);
  }
  return steps;
}

interface Problem {
  planned: PlannedPackage;
  at: number;
  add(statusCode: number, at: number, place?: City, further?: Partial<Movement>): number;
  visit(at: number): number;
  deliver(at: number): number;
  next(at: number): number;
}

/** The package waits for the shop, whose answer the operator acts upon; it is delivered on a later day. */
function solve(random: Random, steps: Step[], { planned, at, add, visit, deliver, next }: Problem): void {
  visit(at);
  const problem = choose(random, problems(random, planned), undefined);
  if (!problem) return;
  const { label: reason_label, description: reason_description, answer } = problem;
  const askedAt = add(6, at, planned.to, { action_required: { reason_label, reason_description } });
  const answeredAt = askedAt + between(random, 60, 240) * 60_000;
  steps.push({ at: answeredAt, answer });
  const doneAt = next(answeredAt);
  steps.push({ at: doneAt, done: `Avisado ao entregador de ${planned.to.name}: ${answer}` });
  add(3, doneAt);
  const again = next(doneAt);
  visit(again);
  deliver(again);
}

/** Each names a detail of this package, as no two people write the same. */
function problems(random: Random, { address, recipient }: PlannedPackage) {
  const [street = ''] = address.address.split(' - ');
  const number = between(random, 2, 98);
  const gate = one(random, ['azul', 'verde', 'de madeira', 'branco', 'cinza', 'preto']);
  const kin = one(random, ['a irmã', 'o pai', 'a vizinha', 'o zelador', 'o sócio', 'a tia']);
  const problem = (label: string, description: string, answer: string) => [1, { label, description, answer }] as const;
  return [
    problem(
      'Endereço incompleto',
      `Em ${street} há várias casas. Informe o complemento.`,
      `É a casa ${number}, portão ${gate}; em ${street}, quem recebe é ${kin}.`,
    ),
    problem(
      'Destinatário desconhecido',
      `Ninguém em ${street} conhece ${recipient.name}. Confirme o nome e o telefone.`,
      `${recipient.name} mudou de sala: agora é a ${number}. ${kin} também pode receber em ${street}.`,
    ),
    problem(
      'Embalagem danificada',
      `A caixa para ${recipient.name} chegou aberta à base. Autorize a reembalagem.`,
      `Podem reembalar e entregar a ${recipient.name} em ${street}; o conteúdo aguenta, código ${number}.`,
    ),
  ];
}

function proofOf(random: Random, { recipient }: PlannedPackage) {
  const byItself = between(random, 1, 5) > 1;
  return {
    recipient_name: byItself ? recipient.name : `Portaria (${one(random, ['Sr. José', 'D. Marta', 'Sr. Luiz'])})`,
    recipient_document: String(between(random, 1000, 9999)),
  };
}

const agencyOf = (random: Random, { name: city, state, postalCode }: City) => ({
  address: `Praça da Matriz, ${between(random, 1, 400)}`,
  city,
  state,
  postal_code: `${postalCode.slice(0, 5)}970`,
});

/** The time at that hour of its day in São Paulo. */
const atHour = (time: number, hours: number): number => dayOf(time).noon + (hours - 12) * HOUR_MS;

/** The same time of day so many workdays later. */
function workdays(time: number, count: number): number {
  let day: Day = dayOf(time);
  const fromNoon = time - day.noon;
  for (let left = count; left > 0; left -= day.isWorkday ? 1 : 0) day = dayAfter(day);
  return day.noon + fromNoon;
}
