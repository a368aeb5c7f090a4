import { isErrorCode } from '../../../base/errors.js';
import type { Text } from '../../language.js';
import { packageTexts as texts } from '../../texts.js';
import { Choice, Field, PostForm, Section, useVisit } from '../components.js';
import { dataOf, RefusalError, type Schemas } from '../operations.js';
import { param, redirect, type Visit } from '../visit.js';
import type { statusOptions, TrackedPackage } from './list.js';

interface MovementFormProps {
  tracked: TrackedPackage;
  statuses: Awaited<ReturnType<typeof statusOptions>>;
}

const field = (name: string, label: Text) => <Field name={name} label={label} maxLength={1000} />;

export function MovementForm({ tracked, statuses }: MovementFormProps) {
  const { say, form, now } = useVisit();
  const options = statuses.filter(([code]) => code !== '1');
  return (
    <Section title={texts.record}>
      <PostForm
        action={`/console/packages/${tracked.loggi_key}/movements`}
        operation="POST /operator/v1/movements"
        submit={texts.record}
      >
        <Choice name="status_code" label={texts.newStatus} value={String(tracked.status.code)} options={options} />
        <Field
          name="at"
          type="datetime-local"
          step={1}
          isRequired
          label={texts.at}
          hint={texts.atHint}
          value={localTime(now)}
        />
        {field('city', texts.city)}
        {field('state', texts.state)}
        <details open={form.text('reason_label') !== ''}>
          <summary>{say(texts.problem)}</summary>
          <p>{say(texts.problemHint)}</p>
          {field('reason_label', texts.label)}
          {field('reason_description', texts.detail)}
        </details>
        <details open={form.text('agency_address') !== ''}>
          <summary>{say(texts.agency)}</summary>
          <p>{say(texts.agencyHint)}</p>
          {field('agency_address', texts.address)}
          {field('agency_city', texts.city)}
          {field('agency_state', texts.state)}
          {field('agency_postal_code', texts.postalCode)}
        </details>
      </PostForm>
    </Section>
  );
}

// A field of type `datetime-local` is one of São Paulo, which has had no summer time since 2019.
const BEHIND_UTC_MS = 3 * 3_600_000;
const SECONDS_MS = 1_000;

/** To the next second, so that no recorded movement is later. */
const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

const timeOf = (local: string): string => `${local.length === 16 ? `${local}:00` : local}-03:00`;

function movementOf(visit: Visit): Schemas['MovementInput'] {
  const { text, optional } = visit.form;
  const [city, state] = [optional('city'), optional('state')];
  const [label, description] = [optional('reason_label'), optional('reason_description')];
  const [address, postalCode] = [optional('agency_address'), optional('agency_postal_code')];
  return {
    // The same form sent twice is the same movement.
    id: text('key'),
    loggi_key: param(visit, 'loggi_key'),
    status_code: Number(text('status_code')),
    happened_at: timeOf(text('at')),
    ...((city ?? state) !== undefined && { location: { city: city ?? '', state: state?.toUpperCase() ?? '' } }),
    ...((label ?? description) !== undefined && {
      action_required: { reason_label: label ?? '', reason_description: description ?? '' },
    }),
    ...((address ?? postalCode) !== undefined && {
      pickup_agency: {
        address: address ?? '',
        city: text('agency_city').trim(),
        state: text('agency_state').trim().toUpperCase(),
        postal_code: postalCode?.replace('-', '') ?? '',
      },
    }),
  };
}

export async function recordMovement(visit: Visit): Promise<void> {
  const body = { movements: [movementOf(visit)] };
  const [result] = (await dataOf(visit.operator.POST('/operator/v1/movements', { body }))).results;
  if (result?.result === 'refused') {
    const { code = '', message = '', field: name } = result;
    const details = name === undefined ? [] : [{ field: name, message }];
    throw new RefusalError(isErrorCode(code) ? code : 'CONFLICT', message, { details });
  }
  const done = result?.result === 'duplicate' ? 'duplicate' : 'recorded';
  redirect(visit, `/console/packages/${param(visit, 'loggi_key')}?done=${done}`);
}
