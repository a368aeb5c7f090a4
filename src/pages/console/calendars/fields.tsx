import { daysOfCsv, type SheetDay, withDaysOf } from '../../../files/day-rows.js';
import { Choice, Field, Fields } from '../../design/forms.js';
import type { Form } from '../../forms.js';
import type { BodyOf } from '../../operations.js';
import { calendarTexts as texts } from '../../texts.js';
import type { Schemas } from '../../visit.js';
import { readSheet } from '../sheets.js';

type Hours = Omit<Schemas['CalendarSummary'], 'version' | 'valid_from' | 'created_at' | 'in_force' | 'closed_count'>;

const times = ['opening', 'closing', 'collection_cutoff'] as const;
const weekend = ['saturdays', 'sundays'] as const;
const yesOrNo = [
  ['yes', texts.yes],
  ['no', texts.no],
] as const;

/** The fields of a new calendar, filled in with the values of the stored one. */
export const CalendarFields = ({ stored }: { stored: Hours }) => (
  <>
    <div class="fields">
      <Fields
        of={times.map((name) => ({
          ...{ name, label: texts[name], type: 'time', value: stored[name] },
          ...(name === 'collection_cutoff' ? { hint: texts.cutoffHint } : { isRequired: true }),
        }))}
      />
      <Field
        name="collection_lead_minutes"
        label={texts.collection_lead_minutes}
        inputMode="numeric"
        value={String(stored.collection_lead_minutes)}
        isRequired
      />
      {weekend.map((name) => (
        <Choice name={name} label={texts[name]} options={yesOrNo} value={stored[name] ? 'yes' : 'no'} />
      ))}
    </div>
    <Field name="file" type="file" label={texts.file} accept=".csv" hint={texts.format} />
    <Field name="valid_from" type="datetime-local" label={texts.valid_from} hint={texts.fromHint} />
  </>
);

/** Reads the calendar of a form. For each year in its file, the days off of the file replace the current ones. */
export async function calendarIn(
  form: Form,
  current: readonly SheetDay[],
): Promise<BodyOf<'POST /operator/v1/calendars'>> {
  const hasFile = (form.file?.bytes.length ?? 0) > 0;
  const days = hasFile ? await readSheet(form.file, daysOfCsv) : [];
  return {
    collection_lead_minutes: form.number('collection_lead_minutes'),
    collection_cutoff: form.optional('collection_cutoff'),
    opening: form.text('opening'),
    closing: form.text('closing'),
    saturdays: form.text('saturdays') === 'yes',
    sundays: form.text('sundays') === 'yes',
    closed: withDaysOf(days, current),
  };
}
