import type { KeyRing } from '../base/secrets/keys.js';
import type { CalendarHours } from '../db/tables/calendars.js';
import type { OrderStatus } from '../db/tables/database.js';
import { inForceSql } from '../db/versions.js';
import { OFF_THE_WAY } from './catalogue.js';
import { openProof } from './proof/proofs.js';

interface DeliveryPlan {
  eta: Date;
  leftAt: Date | undefined;
  /** Working hours of the carrier when the order came. */
  hours: CalendarHours | null;
}

/** Parts of a package that its recipient's own link shows, unless a label of an earlier release may carry that link. */
export interface RecipientDetails {
  /** The planned arrival, and when it left for it, while the package goes on to its first delivery attempt. */
  plan: DeliveryPlan | null;
  /** The sender's link (https), e-mail address or telephone number. */
  supportContact: string | null;
  /** The courier will ask for the PIN, which the sender sent to the recipient. */
  asksForPin: boolean;
  receivedBy: string | null;
  hasPhoto: boolean;
}

/** `facts` are those of the proof in base64. */
export interface DetailsRow {
  eta: string;
  hours: CalendarHours | null;
  supportContact: string | null;
  hasPin: boolean;
  facts: string | null;
  hasPhoto: boolean;
}

/** Selects the row, of a package `p` of an account `a`. */
export const detailsJson = `
  case when p.link_shows_all then json_build_object(
    'eta', p.eta,
    'hours', (${inForceSql('calendars', 'hours', 'p.created_at')}),
    'supportContact', a.support_contact,
    'hasPin', exists (select from delivery_pins pin where pin.loggi_key = p.loggi_key and pin.overridden_at is null),
    'facts', (select encode(facts, 'base64') from delivery_proofs proof where proof.loggi_key = p.loggi_key),
    'hasPhoto', exists (select from delivery_pictures where loggi_key = p.loggi_key and kind = 'photo')) end`;

const OUT_FOR_DELIVERY = 11;
/** A failed delivery attempt: the planned time has passed, whatever the clock says. */
const ABSENT = 18;

interface Progress {
  loggiKey: string;
  stage: OrderStatus;
  isWaiting: boolean;
  /** Its movements, the current one first. */
  history: readonly { code: number; happenedAt: Date }[];
}

export function toDetails(row: DetailsRow | null, progress: Progress, keys: KeyRing): RecipientDetails {
  if (!row) return { plan: null, supportContact: null, asksForPin: false, receivedBy: null, hasPhoto: false };
  const { supportContact, hasPhoto, facts } = row;
  const { loggiKey, stage, history } = progress;
  const leftAt = history.find(({ code }) => code === OUT_FOR_DELIVERY)?.happenedAt;
  return {
    plan: isOnPlan(progress) ? { eta: new Date(row.eta), leftAt, hours: row.hours } : null,
    supportContact,
    asksForPin: row.hasPin && stage === 'out_for_delivery',
    receivedBy: openProof(keys, loggiKey, facts === null ? null : Buffer.from(facts, 'base64')).recipientName ?? null,
    hasPhoto,
  };
}

function isOnPlan({ stage, isWaiting, history }: Progress): boolean {
  const isUnderWay = stage !== 'completed' && stage !== 'cancelled';
  const isOffTheWay = OFF_THE_WAY.has(history[0]?.code ?? 0) || history.some(({ code }) => code === ABSENT);
  return isUnderWay && !isWaiting && !isOffTheWay;
}
