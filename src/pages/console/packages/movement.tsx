import type { VNode } from 'preact';
import { HOUR_MS } from '../../../base/clock.js';
import { chosenIfAny } from '../../chosen.js';
import { plainDate, plainTime } from '../../dates.js';
import { Choice, Field, Fields, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Card, TextLink } from '../../design/pieces.js';
import { deliveryOutcomes, FIRST_STATUS, usualWay } from '../../facts.js';
import { RefusalError } from '../../operations.js';
import { statusTitle } from '../../shared/words.js';
import { consoleTexts, type Text, packageTexts as texts, valueWords } from '../../texts.js';
import { filledPath, param, useVisit, type Visit } from '../../visit.js';
import { type CatalogueEntry, statusOption, type TrackedPackage } from './list.js';

const RECORDING = 'POST /operator/v1/movements';

interface MovementProps {
  statuses: readonly CatalogueEntry[];
  /** The package's present status. It decides which statuses are listed first. */
  current: TrackedPackage['status'];
  /** Code of the status that is selected at first. Without it, the operator must choose. */
  preset?: number;
  location?: TrackedPackage['location'] | undefined;
}

const stages: readonly string[] = ['created', 'processing', 'out_for_delivery'];

/** The index of the collection in `usualWay`. */
const COLLECTED = 1;

/** The statuses that a package may move to: likely ones first, then the others. Final ones are a separate list. */
function choicesAfter({ code, stage }: TrackedPackage['status'], statuses: readonly CatalogueEntry[]) {
  const possible = statuses.filter((status) => status.code !== FIRST_STATUS);
  // A package with a status outside the usual way was already collected.
  const place = usualWay.includes(code) ? usualWay.indexOf(code) : COLLECTED;
  const isAhead = (status: CatalogueEntry) =>
    usualWay.indexOf(status.code) > place && stages.indexOf(status.stage) >= stages.indexOf(stage ?? '');
  const open = possible.filter((status) => !status.final);
  const likely = usualWay.flatMap((each) => open.find((status) => status.code === each && isAhead(status)) ?? []);
  const others = open.filter((status) => !likely.includes(status));
  return { open: [...likely, ...others], final: possible.filter((status) => status.final) };
}

const attemptFields = ['attempt.outcome', 'attempt.next_on', 'expected.from', 'expected.to'];

const field = (name: string, label: Text, value?: string) => ({ name, label, value, maxLength: 1000 });

/** The fields of a movement. The form around them may have more fields. */
export function MovementFields({ statuses, current, preset, location }: MovementProps) {
  const visit = useVisit();
  const { say, form, now } = visit;
  const { open, final } = choicesAfter(current, statuses);
  const optionsOf = (some: readonly CatalogueEntry[]) => some.map((status) => statusOption(visit, status));
  const options = [...(preset === undefined ? [['', texts.choose] as const] : []), ...optionsOf(open)];
  const apart = { name: texts.endings, options: optionsOf(final) };
  const choice = { name: 'status_code', label: texts.newStatus, value: String(preset ?? ''), options, apart };
  const time = { type: 'datetime-local', step: 1, isRequired: true, value: localTime(now) } as const;
  return [
    <Choice {...choice} isRequired />,
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
    <AttemptFields />,
  ];
}

function AttemptFields() {
  const { say, form } = useVisit();
  const outcomes = deliveryOutcomes.map((each) => [each, valueWords.attemptOutcomes[each] ?? each] as const);
  const isTyped = attemptFields.some((name) => form.text(name) !== '');
  return (
    <details open={isTyped}>
      <summary>{say(texts.attempt)}</summary>
      <p>{say(texts.attemptHint)}</p>
      <Choice name="attempt.outcome" label={texts['attempt.outcome']} options={[['', texts.noAttempt], ...outcomes]} />
      <Field name="attempt.next_on" type="date" label={texts.nextAttempt} />
      <Field name="expected.from" type="datetime-local" label={texts['expected.from']} hint={texts.atHint} />
      <Field name="expected.to" type="datetime-local" label={texts['expected.to']} />
    </details>
  );
}

export const MovementForm = ({ path, ...movement }: MovementProps & { path: string }) => (
  <Card title={texts.record} id="record">
    <PostForm action={`${path}/movements`} operation={RECORDING} submit={texts.record}>
      <MovementFields {...movement} />
    </PostForm>
  </Card>
);

// A `datetime-local` field holds a time of São Paulo (dates.ts).
const BEHIND_UTC_MS = 3 * HOUR_MS;
const SECONDS_MS = 1_000;

/** The present time for the field, rounded up, so that it is not before the last recorded movement. */
export const localTime = (now: Date): string =>
  new Date(now.getTime() - BEHIND_UTC_MS + SECONDS_MS).toISOString().slice(0, 19);

/** Reads the movement of a form. Its id is the key of the form, so a second sending repeats the same movement. */
export function movementOf({ form }: Visit, loggi_key: string) {
  const { text, optional } = form;
  const placeOf = (path: string) => ({
    city: text(`${path}city`).trim(),
    state: text(`${path}state`).trim().toUpperCase(),
  });
  const outcome = chosenIfAny(form, 'attempt.outcome', deliveryOutcomes);
  const nextOn = plainDate(text('attempt.next_on'));
  const isTyped = (...names: string[]) => names.some((name) => optional(name) !== undefined);
  return {
    id: text('key'),
    loggi_key,
    status_code: Number(text('status_code')),
    happened_at: plainTime(text('at')),
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
    attempt: outcome && { outcome, ...(nextOn && { next_on: nextOn }) },
    expected: isTyped('expected.from', 'expected.to')
      ? { from: plainTime(text('expected.from')), to: plainTime(text('expected.to')) }
      : undefined,
  };
}

/** Records the movement of a form. Returns false if it was already recorded. Throws RefusalError. */
async function record(visit: Visit, loggiKey: string): Promise<boolean> {
  const [result] = (await visit.ask(RECORDING, { body: { movements: [movementOf(visit, loggiKey)] } })).results;
  if (result?.result === 'refused') {
    const { code = 'CONFLICT', reason = 'unspecified', message = '', field: name, field_code = 'unspecified' } = result;
    const details = name === undefined ? [] : [{ field: name, code: field_code, message }];
    throw new RefusalError(code, reason, message, { details });
  }
  return result?.result !== 'duplicate';
}

const sentFields = [
  ...['status_code', 'at', 'city', 'state', 'reason_label', 'reason_description', 'loggi_key', 'note'],
  ...['address', 'city', 'state', 'postal_code'].map((name) => `pickup_agency.${name}`),
  ...attemptFields,
];

interface Asked {
  loggiKey: string;
  back: string;
}

/**
 * Makes a page that asks again before a status ends the package. Undefined if confirmed or if the status is not final.
 */
export async function confirmationOf(visit: Visit, { loggiKey, back }: Asked): Promise<VNode | undefined> {
  const { form, say, url } = visit;
  const code = form.text('status_code');
  if (form.has('confirmed') || !/^\d{1,5}$/.test(code)) return undefined;
  const status = await visit.askIfAny('GET /operator/v1/package-statuses/{code}', { path: { code } });
  if (!status?.final) return undefined;
  const ending = await visit.ask('GET /operator/v1/packages/{loggi_key}', { path: { loggi_key: loggiKey } });
  const sent = sentFields.filter(form.has).map((name) => [name, form.text(name)]);
  const hidden = { ...Object.fromEntries(sent), key: form.text('key'), confirmed: 'yes' };
  const beside = <TextLink href={back} text={consoleTexts.keepIt} />;
  return (
    <Page title={`${say(texts.newStatus)}: ${statusTitle(visit, status)}`}>
      <div class="card confirmation">
        <p>{`${say(texts.package)} ${ending.tracking_code}, ${ending.recipient.name}`}</p>
        <p>{say(texts.endingHint)}</p>
        <PostForm action={url.pathname} submit={texts.recordEnding} kind="danger" {...{ hidden, beside }} />
      </div>
    </Page>
  );
}

export async function recordMovement(visit: Visit): Promise<VNode | string> {
  const page = filledPath(visit, '/console/packages/{loggi_key}');
  const loggiKey = param(visit, 'loggi_key');
  const confirmation = await confirmationOf(visit, { loggiKey, back: page });
  if (confirmation) return confirmation;
  const isNew = await record(visit, loggiKey);
  return `${page}?done=${isNew ? 'recorded' : 'duplicate'}`;
}
