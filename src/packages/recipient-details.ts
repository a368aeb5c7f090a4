import type { KeyRing } from '../base/secrets/keys.js';
import type { CalendarHours } from '../db/tables/calendars.js';
import type { OrderStatus } from '../db/tables/database.js';
import type { DeliveryOutcome } from '../db/tables/movements.js';
import { inForceSql } from '../db/versions.js';
import { type Attempts, attemptsOf, type Expected } from './attempts.js';
import { OFF_THE_WAY } from './catalogue.js';
import { openProof } from './proof/proofs.js';

interface DeliveryPlan {
  eta: Date;
  leftAt: Date | undefined;
  /** The carrier's working hours when the order came. */
  hours: CalendarHours | null;
}

export interface ShownBrand {
  color: string | null;
  hasLogo: boolean;
}

/**
 * Parts of a package that only the recipient's own link shows. Empty if a label of an earlier release may have that
 * link.
 */
export interface RecipientDetails {
  /** The planned arrival, and the departure for it. Null once the package does not go to its first delivery attempt. */
  plan: DeliveryPlan | null;
  /** The sender's link (https), e-mail address or telephone number. */
  supportContact: string | null;
  /** The sender's colour and logo; null without both. */
  brand: ShownBrand | null;
  /** True if the courier will ask for the PIN, which the sender gave to the recipient. */
  asksForPin: boolean;
  receivedBy: string | null;
  hasPhoto: boolean;
  /**
   * Null without attempts, and once the package has ended. The next day is left out while it is out, or off its way.
   */
  attempts: Attempts | null;
  /** The hours that the carrier reported with the current status. */
  expected: Expected | null;
}

/** A row of details. `facts` are the facts of the proof, in base64. */
export interface DetailsRow {
  eta: string;
  hours: CalendarHours | null;
  supportContact: string | null;
  brand: ShownBrand | null;
  hasPin: boolean;
  facts: string | null;
  hasPhoto: boolean;
  attempt_count: number | null;
  attempt_outcome: DeliveryOutcome | null;
  attempt_next_on: string | null;
}

/** SQL of the row, for a package `p` of an account `a`. */
export const detailsJson = `
  case when p.link_shows_all then json_build_object(
    'eta', p.eta,
    'hours', (${inForceSql('calendars', 'hours', 'p.created_at')}),
    'supportContact', a.support_contact,
    'brand', (select json_build_object('color', color, 'hasLogo', logo is not null) from brands
      where account_id = a.id and (color is not null or logo is not null)),
    'hasPin', exists (select from delivery_pins pin where pin.loggi_key = p.loggi_key and pin.overridden_at is null),
    'facts', (select encode(facts, 'base64') from delivery_proofs proof where proof.loggi_key = p.loggi_key),
    'hasPhoto', exists (select from delivery_pictures where loggi_key = p.loggi_key and kind = 'photo'),
    'attempt_count', p.attempt_count, 'attempt_outcome', p.attempt_outcome,
    'attempt_next_on', p.attempt_next_on) end`;

const OUT_FOR_DELIVERY = 11;
/** A failed delivery attempt. After it the planned time no longer counts. */
const ABSENT = 18;

interface Progress {
  loggiKey: string;
  stage: OrderStatus;
  isWaiting: boolean;
  /** The movements of the package, the current one first. */
  history: readonly { code: number; happenedAt: Date }[];
  /** The hours that its current movement reports. */
  expected: Expected | null;
}

const nothing: RecipientDetails = {
  plan: null,
  supportContact: null,
  brand: null,
  asksForPin: false,
  receivedBy: null,
  hasPhoto: false,
  attempts: null,
  expected: null,
};

export function toDetails(row: DetailsRow | null, progress: Progress, keys: KeyRing): RecipientDetails {
  if (!row) return nothing;
  const { supportContact, brand, hasPhoto, facts } = row;
  const { loggiKey, stage, history } = progress;
  const leftAt = history.find(({ code }) => code === OUT_FOR_DELIVERY)?.happenedAt;
  return {
    plan: isOnPlan(progress) ? { eta: new Date(row.eta), leftAt, hours: row.hours } : null,
    supportContact,
    brand,
    asksForPin: row.hasPin && stage === 'out_for_delivery',
    receivedBy: openProof(keys, loggiKey, facts === null ? null : Buffer.from(facts, 'base64')).recipientName ?? null,
    hasPhoto,
    attempts: attemptsBefore(row, progress),
    expected: progress.expected,
  };
}

const isUnderWay = ({ stage }: Progress): boolean => stage !== 'completed' && stage !== 'cancelled';

function attemptsBefore(row: DetailsRow, progress: Progress): Attempts | null {
  const attempts = isUnderWay(progress) ? attemptsOf(row) : null;
  const code = progress.history[0]?.code ?? 0;
  const isSettled = code === OUT_FOR_DELIVERY || OFF_THE_WAY.has(code);
  return attempts && isSettled ? { ...attempts, nextOn: null } : attempts;
}

function isOnPlan(progress: Progress): boolean {
  const { isWaiting, history } = progress;
  const isOffTheWay = OFF_THE_WAY.has(history[0]?.code ?? 0) || history.some(({ code }) => code === ABSENT);
  return isUnderWay(progress) && !isWaiting && !isOffTheWay;
}
