import type { components } from '../../../generated/rest.js';

type Schemas = components['schemas'];
type Package = Pick<Schemas['PackageDetail'], 'tracking_code' | 'status' | 'location' | 'promised_date'>;

// Texts for agents and people. Words of third parties stand in the structure only, except the catalogue's names.

const minutes = (time: string): string => `${time.slice(0, 16).replace('T', ' ')} UTC`;

const placeText = (location: Schemas['Location'] | undefined): string => (location ? `, ${location.state}` : '');

const statusText = ({ code, high_level_status: name, updated_at: since }: Schemas['PackageStatus']): string =>
  `status ${code} ${name} since ${minutes(since)}`;

export const packageText = ({ tracking_code: code, status, location, promised_date: promised }: Package): string =>
  `${code}: ${statusText(status)}${placeText(location)}; promised for ${promised}`;

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
