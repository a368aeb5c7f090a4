import { Facts, HiddenFields, OperationForm } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Table } from '../lists.js';
import { dataOf, type RefusalError } from '../operations.js';
import { formFields, type Visit } from '../visit.js';
import { afterPart, begin, nextPart, type Progress, packed, type RefusedRow, unpacked } from './progress.js';
import { texts } from './texts.js';

const EXAMPLE = 'loggi_key,status_code,happened_at,location.city,location.state';

/** `GET /console/movements/import` */
export function showImport(visit: Visit, refusal?: RefusalError): void {
  const { say } = visit;
  show(
    visit,
    say(texts.title),
    <>
      <p>{say(texts.what)}</p>
      <pre>{EXAMPLE}</pre>
      <p>{say(texts.safe)}</p>
      <form method="post" action="/console/movements/import" enctype="multipart/form-data">
        <HiddenFields fields={formFields(visit)} />
        <p class="field">
          <label for="file">{say(texts.file)}</label>
          <input id="file" name="file" type="file" accept=".csv,.ndjson,.jsonl" required aria-describedby="bounds" />
          <span class="hint" id="bounds">
            {say(texts.bounds)}
          </span>
        </p>
        <p class="send">
          <button type="submit">{say(texts.check)}</button>
        </p>
      </form>
    </>,
    { refusal },
  );
}

/** `POST /console/movements/import`: what would be sent, and what would not. */
export async function checkFile(visit: Visit, { file }: Form): Promise<void> {
  await showProgress(visit, await begin(file ?? { name: '', bytes: Buffer.alloc(0) }));
}

/** `POST /console/movements/import/parts` sends as many rows as one request takes, and shows how far that came. */
export async function sendPart(visit: Visit, form: Form): Promise<void> {
  const progress = await unpacked(form.text('progress'));
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  const body = { movements: nextPart(progress) };
  const { results } = await dataOf(visit.operator.POST('/operator/v1/movements', { params, body }));
  await showProgress(visit, afterPart(progress, results));
}

/** What a part that was refused as a whole shows: it can be sent again. */
export async function showPart(visit: Visit, refusal: RefusalError, form: Form): Promise<void> {
  await showProgress(visit, await unpacked(form.text('progress')), refusal);
}

async function showProgress(visit: Visit, progress: Progress, refusal?: RefusalError): Promise<void> {
  const { say } = visit;
  const { rest, rows, refusals } = progress;
  const state = await packed(progress);
  show(
    visit,
    say(texts.title),
    <>
      <p role="status">
        <label for="done">{say(rest.length === 0 ? texts.finished : texts.sofar)}</label>{' '}
        <progress id="done" value={rows - rest.length} max={rows} /> {rows - rest.length} / {rows}
      </p>
      <Facts
        visit={visit}
        facts={[
          [texts.file, progress.name],
          [texts.recorded, progress.recorded],
          [texts.duplicate, progress.duplicate],
          [texts.refused, refusals.length],
          [texts.rest, rest.length],
        ]}
      />
      {rest.length > 0 && (
        <OperationForm
          visit={visit}
          action="/console/movements/import/parts"
          operation="POST /operator/v1/movements"
          submit={texts.send}
        >
          <HiddenFields fields={{ progress: state }} />
        </OperationForm>
      )}
      {refusals.length > 0 && <RefusedRows visit={visit} refusals={refusals} />}
      <p>
        <a href="/console/movements/import">{say(texts.another)}</a>
      </p>
    </>,
    { refusal, scripts: ['console-import.js'] },
  );
}

const MOST_LISTED = 100;

function RefusedRows({ visit, refusals }: { visit: Visit; refusals: readonly RefusedRow[] }) {
  const { say } = visit;
  const file = Buffer.from(csvOf(refusals)).toString('base64');
  return (
    <section>
      <h2>{say(texts.refused)}</h2>
      <Table visit={visit} caption={texts.refused} columns={columns} rows={refusals.slice(0, MOST_LISTED)} />
      <p>
        {refusals.length > MOST_LISTED && `${say(texts.onlyFirst)} ${MOST_LISTED}. `}
        <a download="refused.csv" href={`data:text/csv;charset=utf-8;base64,${file}`}>
          {say(texts.download)}
        </a>
      </p>
    </section>
  );
}

const columns: Column<RefusedRow>[] = [
  { heading: texts.line, cell: ({ line }) => line, isNumber: true },
  { heading: texts.reason, cell: ({ code }) => <code>{code}</code> },
  { heading: texts.detail, cell: ({ message }) => <span lang="en">{message}</span> },
  { heading: texts.movement, cell: ({ id }) => id },
];

const csvCell = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`;

const csvOf = (refusals: readonly RefusedRow[]): string =>
  [['line', 'code', 'message', 'id'], ...refusals.map(({ line, code, message, id = '' }) => [line, code, message, id])]
    .map((row) => `${row.map(csvCell).join(',')}\r\n`)
    .join('');
