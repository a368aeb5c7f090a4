import { FIRST_STATUS } from '../../../packages/movement.js';
import { Choice, Field, Fields, PostForm } from '../../design/forms.js';
import { Card } from '../../design/pieces.js';
import { RefusalError } from '../../session/operations.js';
import { filledPath, param, useVisit, type Visit } from '../../session/visit.js';
import { type Text, packageTexts as texts } from '../../texts.js';
import type { statusOptions, TrackedPackage } from './list.js';

const RECORDING = 'POST /operator/v1/movements';

interface MovementProps {
  statuses: Awaited<ReturnType<typeof statusOptions>>;
  /** Code of the status that is chosen at first. */
  status: string;
  location?: TrackedPackage['location'] | undefined;
}

const field = (name: string, label: Text, value?: string) => ({ name, label, value, maxLength: 1000 });

/** Fields of a movement, for a form that may ask for more. */
export function MovementFields({ statuses, status, location }: MovementProps) {
  const { say, form, now } = useVisit();
  const options = statuses.filter(([code]) => code !== String(FIRST_STATUS));
  const time = { type: 'datetime-local', step: 1, isRequired: true, value: localTime(now) } as const;
  return [
    <Choice name="status_code" label={texts.newStatus} value={status} options={options} />,
    <Field name="at" label={texts.happened_at} hint={texts.atHint} {...time} />,
    <Fields of={[field('city', texts.city, location?.city), field('state', texts.state, location?.state)]} />,
    <details open={form.text('reason_label') !== ''}>
      <summary>{say(texts.action_required)}</summary>
      <p>{say(texts.problemHint)}</p>
      <Fields of={[field('reason_label', texts.reason_label), field('reason_description', texts.detail)]} />
    </details>,
    <details open={form.text('pickup_agency.address') !== ''}>
      <summary>{say(texts.pickup_agency)}</summary>
      <p>{say(texts.agencyHint)}</p>
      <Field {...field('pickup_agency.address', texts.address)} />
      <Field {...field('pickup_agency.city', texts.city)} />
      <Field {...field('pickup_agency.state', texts.state)} />
      <Field {...field('pickup_agency.postal_code', texts.postal_code)} />
    </details>,
  ];
}

export const MovementForm = ({ path, ...movement }: MovementProps & { path: string }) => (
  <Card title={texts.record} id="record">
    <PostForm action={`${path}/movements`} operation={RECORDING} submit={texts.record}>
      <MovementFields {...movement} />
    </PostForm>
  </Card>
);

// A field of type `datetime-local` is one of São Paulo, which has had no summer time since 2019.
const BEHIND_UTC_MS = 3 * 3_600_000;
const SECONDS_MS = 1_000;

/** To the next second, so that no recorded movement is later. */
const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

const timeOf = (local: string): string => `${local.length === 16 ? `${local}:00` : local}-03:00`;

/** The same form sent twice is the same movement. */
function movementOf({ form: { text, optional } }: Visit, loggi_key: string) {
  const placeOf = (path: string) => ({
    city: text(`${path}city`).trim(),
    state: text(`${path}state`).trim().toUpperCase(),
  });
  const isTyped = (...names: string[]) => names.some((name) => optional(name) !== undefined);
  return {
    id: text('key'),
    loggi_key,
    status_code: Number(text('status_code')),
    happened_at: timeOf(text('at')),
    location: isTyped('city', 'state') ? placeOf('') : undefined,
    action_required: isTyped('reason_label', 'reason_description')
      ? { reason_label: text('reason_label').trim(), reason_description: text('reason_description').trim() }
      : undefined,
    pickup_agency: isTyped('pickup_agency.address', 'pickup_agency.postal_code')
      ? {
          address: text('pickup_agency.address').trim(),
          postal_code: text('pickup_agency.postal_code').trim().replace('-', ''),
          ...placeOf('pickup_agency.'),
        }
      : undefined,
  };
}

/** Records the movement of a form; false for one that was recorded before. Throws RefusalError. */
export async function record(visit: Visit, loggiKey: string): Promise<boolean> {
  const [result] = (await visit.ask(RECORDING, { body: { movements: [movementOf(visit, loggiKey)] } })).results;
  if (result?.result === 'refused') {
    const { code = 'CONFLICT', reason = 'unspecified', message = '', field: name, field_code = 'unspecified' } = result;
    const details = name === undefined ? [] : [{ field: name, code: field_code, message }];
    throw new RefusalError(code, reason, message, { details });
  }
  return result?.result !== 'duplicate';
}

export async function recordMovement(visit: Visit): Promise<string> {
  const isNew = await record(visit, param(visit, 'loggi_key'));
  return `${filledPath(visit, '/console/packages/{loggi_key}')}?done=${isNew ? 'recorded' : 'duplicate'}`;
}
