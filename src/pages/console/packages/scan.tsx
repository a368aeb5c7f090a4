import type { VNode } from 'preact';
import { v5 } from 'uuid';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Chip } from '../../design/pieces.js';
import { FIRST_STATUS } from '../../facts.js';
import { RefusalError } from '../../operations.js';
import { statusTitle } from '../../shared/words.js';
import { refusalText, type Text, scanTexts as texts } from '../../texts.js';
import { type Schemas, useVisit, type Visit } from '../../visit.js';
import { Time } from '../../written.js';
import { type CatalogueEntry, catalogueOf, statusOption } from './list.js';

// Records codes one after another, as movements to one status at one base. scan.js keeps the codes until the network
// works. Without that script, Enter sends each code.

const RECORDING = 'POST /operator/v1/movements';

/** The namespace of movement ids that are made from a form's key and code. */
const NAMESPACE = '5b0c0f5e-6f0a-4b8e-9d57-2f1f6a3f5a10';

/** Maximum number of codes in one form. */
const MAX_SCANS = 50;

interface Scan {
  /** The id of the movement. It stays the same when the scan is sent again, so it is recorded once. */
  id: string;
  code: string;
  happenedAt: string;
}

type Outcome = 'recorded' | 'duplicate' | 'refused';

interface Scanned extends Scan {
  outcome: Outcome;
  /** The reason of a refusal. */
  why?: Text;
}

export const showScan = (visit: Visit): Promise<VNode> => pageOf(visit, []);

/** Records the codes of the form and shows the outcome of each. */
export async function scan(visit: Visit): Promise<VNode> {
  const scans = scansOf(visit);
  return pageOf(visit, scans.length === 0 ? [] : await recorded(visit, scans));
}

/** Reads the script's lines `id time code`, or the one code that a person typed. */
function scansOf({ form: { has, text }, now }: Visit): Scan[] {
  const code = text('code').trim();
  // After Back, a person may send the same form with another code. That is another movement, so the id includes the
  // code.
  const typed = { id: v5(`${text('key')} ${code}`, NAMESPACE), code, happenedAt: now.toISOString() };
  const scans = has('scans') ? text('scans').split('\n').map(scanOfLine) : [typed];
  return scans.filter(({ code }) => code !== '').slice(0, MAX_SCANS);
}

function scanOfLine(line: string): Scan {
  const [id = '', happenedAt = '', ...words] = line.split(' ');
  return { id, happenedAt, code: words.join(' ').trim() };
}

/**
 * Records the scans. One impossible code makes the operation refuse the whole batch, so the others are then sent alone.
 */
async function recorded(visit: Visit, scans: readonly Scan[]): Promise<Scanned[]> {
  const unreadable = new Set<Scan>();
  const sent = () => scans.filter((each) => !unreadable.has(each));
  const results = await send(visit, sent()).catch((error: unknown) => {
    for (const at of placesOfCodes(error)) {
      const each = scans[at];
      if (each) unreadable.add(each);
    }
    if (unreadable.size === 0) throw error;
    return sent().length === 0 ? [] : send(visit, sent());
  });
  const resultOf = new Map(results.map((result) => [result.id, result]));
  return scans.map((each) => ({ ...each, ...outcomeOf(unreadable.has(each) ? undefined : resultOf.get(each.id)) }));
}

async function send(visit: Visit, scans: readonly Scan[]): Promise<readonly Schemas['MovementResult'][]> {
  const { text, optional } = visit.form;
  const [city, state] = [optional('city'), optional('state')?.toUpperCase()];
  const location = city || state ? { city: city ?? '', state: state ?? '' } : undefined;
  const movements = scans.map(({ id, code, happenedAt }) => ({
    id,
    ...packageOf(code),
    status_code: Number(text('status_code')),
    happened_at: happenedAt,
    location,
  }));
  return (await visit.ask(RECORDING, { body: { movements } })).results;
}

const BARCODE_DIGITS = 18;
const MAX_TRACKING_CODE = 16;

/** Guesses from the length which kind of code this is. The contract checks the code itself. */
function packageOf(code: string) {
  const { length } = code.replace(/[\s.-]/g, '');
  if (length === BARCODE_DIGITS) return { barcode: code };
  return length <= MAX_TRACKING_CODE ? { tracking_code: code } : { loggi_key: code };
}

/** The indexes of the movements with a refused code. Empty if the operation refuses anything else, too. */
function placesOfCodes(error: unknown): number[] {
  if (!(error instanceof RefusalError)) return [];
  const places = error.details.map(({ field }) =>
    /^movements\.(\d+)\.(?:barcode|tracking_code|loggi_key)$/.exec(field),
  );
  return places.every(Boolean) ? places.map((place) => Number(place?.[1])) : [];
}

function outcomeOf(result: Schemas['MovementResult'] | undefined): Pick<Scanned, 'outcome' | 'why'> {
  if (!result) return { outcome: 'refused', why: texts.unknown };
  const { code = 'CONFLICT', reason = 'unspecified', field = '' } = result;
  // The id was taken by the same scan with another time, so the scan was only sent again.
  if (result.result === 'duplicate' || reason === 'movement_id_taken') return { outcome: 'duplicate' };
  if (result.result !== 'refused') return { outcome: 'recorded' };
  if (code === 'NOT_FOUND') return { outcome: 'refused', why: texts.unknown };
  return { outcome: 'refused', why: reasonsByField[field] ?? refusalText({ code, reason }) };
}

const reasonsByField: Partial<Record<string, Text>> = {
  happened_at: texts.wrongTime,
  action_required: texts.needsMore,
  pickup_agency: texts.needsMore,
  pin: texts.needsMore,
};

/** The statuses to choose from. A final status is recorded on the package's own page, which asks again. */
const offered = (statuses: readonly CatalogueEntry[]) =>
  statuses.filter(({ code, final }) => code !== FIRST_STATUS && !final);

async function pageOf(visit: Visit, scans: readonly Scanned[]): Promise<VNode> {
  const { say, form, session, now } = visit;
  const statuses = offered(await catalogueOf(visit));
  const chosen = statuses.find(({ code }) => String(code) === form.text('status_code'));
  const options = [['', texts.choose] as const, ...statuses.map((status) => statusOption(visit, status))];
  const said = {
    'data-waiting': say(texts.waiting),
    'data-undo': say(texts.undo),
    'data-duplicate': say(texts.duplicate),
    'data-away': say(texts.away),
    'data-ended': say(texts.ended),
  };
  return (
    <Page title={texts.title} scripts={['scan.js']}>
      <p>{say(texts.hint)}</p>
      <div id="scanning" data-owner={session.accountId} data-now={now.toISOString()} {...said}>
        <PostForm action="/console/scan" operation={RECORDING} submit={texts.record}>
          <div class="fields">
            <Choice
              name="status_code"
              label={texts.status}
              value={form.text('status_code')}
              {...{ options }}
              isRequired
            />
            <Field name="city" label={texts.city} value={form.text('city')} maxLength={1000} />
            <Field name="state" label={texts.state} value={form.text('state')} maxLength={1000} />
          </div>
          <CodeField />
        </PostForm>
      </div>
      <p id="said" role="status" />
      <ol id="scans" class="scans">
        {scans.map((each) => (
          <ScanEntry {...each} status={chosen && statusTitle(visit, chosen)} />
        ))}
      </ol>
    </Page>
  );
}

/** The field for the next code. It keeps the focus. */
function CodeField() {
  const { say } = useVisit();
  return (
    <div class="field">
      <label for="code">{say(texts.code)}</label>
      <input
        id="code"
        name="code"
        type="text"
        maxLength={64}
        autocomplete="off"
        autofocus
        spellcheck={false}
        required
      />
    </div>
  );
}

const stages: Readonly<Record<Outcome, string>> = {
  recorded: 'completed',
  duplicate: 'processing',
  refused: 'problem',
};

function ScanEntry({ id, code, happenedAt, outcome, why, status }: Scanned & { status: string | undefined }) {
  const { say } = useVisit();
  return (
    <li data-id={id} data-outcome={outcome}>
      <Chip stage={stages[outcome]} text={say(why ?? texts[outcome])} />
      <a href={`/console/search?q=${encodeURIComponent(code)}`}>{code}</a>
      <p class="hint">
        <Time at={happenedAt} />
        {status && ` · ${status}`}
      </p>
    </li>
  );
}
