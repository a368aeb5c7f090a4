import type { components } from '../../../generated/rest.js';

type Schemas = components['schemas'];
type Package = Pick<Schemas['PackageDetail'], 'tracking_code' | 'status' | 'location' | 'promised_date' | 'attempts'>;

// Writes texts for agents and people. Words of other people stay in the structured part, except names of the catalogue.

const minutes = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const placeText = (location: Schemas['Location'] | undefined): string => (location ? `, ${location.state}` : '');

const statusText = ({ code, high_level_status: name, updated_at: since }: Schemas['PackageStatus']): string =>
  `status ${code} ${name} since ${minutes(since)}`;

export const packageText = ({ tracking_code: code, promised_date: promised, ...others }: Package): string => {
  const { status, location, attempts } = others;
  const tried = attempts ? `; ${attemptsText(attempts)}` : '';
  return `${code}: ${statusText(status)}${placeText(location)}; promised for ${promised}${tried}`;
};

/** Says how many attempts failed, why the last one did, and when the next one is. */
function attemptsText({ count, last_outcome: outcome, next_on: day }: Schemas['Attempts']): string {
  const next = day === undefined ? '' : `, the next one is on ${day}`;
  return `${count} failed attempt(s) to deliver, the last one: ${outcome}${next}`;
}

/** A request of a shipper, or any task of the operator. */
type Request = Pick<Schemas['PackageRequest'], 'id' | 'loggi_key' | 'state' | 'created_at' | 'completed_at'> & {
  kind: string;
};

export function requestText({ id, loggi_key: key, kind, state, ...times }: Request): string {
  const { created_at: created, completed_at: completed } = times;
  const end = completed === undefined ? '' : `, ${state} ${minutes(completed)}`;
  return `${kind} ${id} about package ${key}: ${state === 'open' ? 'open ' : ''}since ${minutes(created)}${end}`;
}

export const historyText = (events: readonly Schemas['TrackingEvent'][]): string[] =>
  events.map(({ status, location }) => `- before: ${statusText(status)}${placeText(location)}`);

export const orderText = ({
  id,
  status,
  total,
  created_at,
}: Pick<Schemas['OrderSummary'], 'id' | 'status' | 'total' | 'created_at'>): string =>
  `order ${id}: ${status}, BRL ${total}, created ${minutes(created_at)}`;

export const endpointText = (endpoint: Schemas['WebhookEndpoint']): string => {
  const { id, state, failing_since: failing, pending_count: pending, dead_letter_count: dead } = endpoint;
  const since = failing === undefined ? '' : `, failing since ${minutes(failing)}`;
  return `- webhook endpoint ${id}: ${state}${since}, ${pending} notification(s) wait, ${dead} dead letter(s)`;
};
