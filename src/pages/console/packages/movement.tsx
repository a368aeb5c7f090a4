import { isErrorCode } from '../../../base/errors.js';
import { Choice, Field, OperationForm } from '../components.js';
import type { Form } from '../forms.js';
import { dataOf, RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import type { TrackedPackage } from './list.js';
import { texts } from './texts.js';

interface MovementFormProps {
  visit: Visit;
  tracked: TrackedPackage;
  statuses: readonly Schemas['CatalogueStatus'][];
  /** What was typed, when it was refused. */
  form: Form | undefined;
}

export function MovementForm({ visit, tracked, statuses, form }: MovementFormProps) {
  const { say } = visit;
  const field = (name: string, label: (typeof texts)[keyof typeof texts]) => (
    <Field visit={visit} name={name} label={label} value={form?.text(name)} maxLength={1000} />
  );
  return (
    <section>
      <h2>{say(texts.record)}</h2>
      <OperationForm
        visit={visit}
        action={`/console/packages/${tracked.loggi_key}/movements`}
        operation="POST /operator/v1/movements"
        submit={texts.record}
      >
        <Choice
          visit={visit}
          name="status_code"
          label={texts.newStatus}
          value={form?.text('status_code') ?? String(tracked.status.code)}
          options={statuses.flatMap(({ code, high_level_status: name }) =>
            code === 1 ? [] : { value: String(code), text: `${code} ${name}` },
          )}
        />
        <Field
          visit={visit}
          name="at"
          type="datetime-local"
          step={1}
          isRequired
          label={texts.at}
          hint={texts.atHint}
          value={form?.text('at') ?? localTime(visit.now)}
        />
        {field('city', texts.city)}
        {field('state', texts.state)}
        <details open={Boolean(form?.text('reason_label'))}>
          <summary>{say(texts.problem)}</summary>
          <p>{say(texts.problemHint)}</p>
          {field('reason_label', texts.label)}
          {field('reason_description', texts.description)}
        </details>
        <details open={Boolean(form?.text('agency_address'))}>
          <summary>{say(texts.agency)}</summary>
          <p>{say(texts.agencyHint)}</p>
          {field('agency_address', texts.address)}
          {field('agency_city', texts.city)}
          {field('agency_state', texts.state)}
          {field('agency_postal_code', texts.postalCode)}
        </details>
      </OperationForm>
    </section>
  );
}

// A field of type `datetime-local` is one of São Paulo, which has had no summer time since 2019.
const BEHIND_UTC_MS = 3 * 3_600_000;
const SECONDS_MS = 1_000;

/** To the next second, as nothing that is recorded already is later. */
const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

const timeOf = (local: string): string => `${local.length === 16 ? `${local}:00` : local}-03:00`;

function movementOf(visit: Visit, form: Form): Schemas['MovementInput'] {
  const value = (name: string) => form.optional(name);
  const [city, state] = [value('city'), value('state')];
  const [label, description] = [value('reason_label'), value('reason_description')];
  const [address, postalCode] = [value('agency_address'), value('agency_postal_code')];
  return {
    // The same form sent twice is the same movement.
    id: form.text('key'),
    loggi_key: String(visit.req.params['loggi_key']),
    status_code: Number(form.text('status_code')),
    happened_at: timeOf(form.text('at')),
    ...((city ?? state) !== undefined && { location: { city: city ?? '', state: state?.toUpperCase() ?? '' } }),
    ...((label ?? description) !== undefined && {
      action_required: { reason_label: label ?? '', reason_description: description ?? '' },
    }),
    ...((address ?? postalCode) !== undefined && {
      pickup_agency: {
        address: address ?? '',
        city: value('agency_city') ?? '',
        state: value('agency_state')?.toUpperCase() ?? '',
        postal_code: postalCode?.replace('-', '') ?? '',
      },
    }),
  };
}

/** `POST /console/packages/{loggi_key}/movements` */
export async function recordMovement(visit: Visit, form: Form): Promise<void> {
  const movement = movementOf(visit, form);
  const { results } = await dataOf(visit.operator.POST('/operator/v1/movements', { body: { movements: [movement] } }));
  const [result] = results;
  if (result?.result === 'refused') {
    const { code = '', message = '', field } = result;
    const details = field === undefined ? [] : [{ field, message }];
    throw new RefusalError(isErrorCode(code) ? code : 'CONFLICT', message, { details });
  }
  redirect(
    visit,
    `/console/packages/${String(visit.req.params['loggi_key'])}?done=${result?.result === 'duplicate' ? 'duplicate' : 'recorded'}`,
  );
}
