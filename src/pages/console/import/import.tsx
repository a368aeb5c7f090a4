import { type Column, Facts, Field, LinkLine, PostForm, Section, Table, useVisit } from '../../design/index.js';
import { Verbatim } from '../../page.js';
import { dataOf } from '../../session/operations.js';
import { keyed, type Visit } from '../../session/visit.js';
import { importTexts as texts } from '../../texts.js';
import { show } from '../frame.js';
import { afterPart, begin, nextPart, type Progress, packed, type RefusedRow, unpacked } from './progress.js';

const EXAMPLE = 'barcode,status_code,happened_at,location.city,location.state';

export function showImport(visit: Visit): void {
  const { say } = visit;
  show(
    visit,
    texts.title,
    <>
      <p>{say(texts.format)}</p>
      <p class="example">
        <code>
          <Verbatim>{EXAMPLE}</Verbatim>
        </code>
      </p>
      <p>{say(texts.safe)}</p>
      <PostForm action="/console/movements/import" enctype="multipart/form-data" submit={texts.check}>
        <Field name="file" type="file" label={texts.file} accept=".csv,.ndjson,.jsonl" isRequired hint={texts.bounds} />
      </PostForm>
    </>,
  );
}

/** Shows which rows would be sent, and which the contract refuses. */
export async function checkFile(visit: Visit): Promise<void> {
  const { file = { name: '', bytes: Buffer.alloc(0) } } = visit.form;
  await showProgress(visit, await begin(file));
}

/** Sends as many rows as one request takes, and shows the progress. */
export async function sendPart(visit: Visit): Promise<void> {
  const progress = await unpacked(visit.form.text('progress'), visit);
  const rows = nextPart(progress);
  const body = { movements: rows.map(([, movement]) => movement) };
  const { results } = await dataOf(visit.operator.POST('/operator/v1/movements', { params: keyed(visit), body }));
  await showProgress(visit, afterPart(progress, rows, results));
}

/** Shows a part that was refused as a whole: it can be sent again. */
export async function showPart(visit: Visit): Promise<void> {
  await showProgress(visit, await unpacked(visit.form.text('progress'), visit));
}

async function showProgress(visit: Visit, progress: Progress): Promise<void> {
  const { say } = visit;
  const { left, rows, refusals } = progress;
  const state = await packed(progress, visit);
  show(
    visit,
    texts.title,
    <>
      <p role="status">
        <label for="done">{say(left === 0 ? texts.finished : texts.sofar)}</label>{' '}
        <progress id="done" value={rows - left} max={rows} /> {rows - left} / {rows}
      </p>
      <Facts
        facts={[
          [texts.file, progress.name],
          [texts.recorded, progress.recorded],
          [texts.duplicate, progress.duplicate],
          [texts.refused, refusals.length],
          [texts.rest, left],
        ]}
      />
      {left > 0 && (
        <PostForm
          action="/console/movements/import/parts"
          operation="POST /operator/v1/movements"
          submit={texts.send}
          hidden={{ progress: state }}
        />
      )}
      {refusals.length > 0 && <RefusedRows refusals={refusals} />}
      <LinkLine href="/console/movements/import" text={texts.another} />
    </>,
    { scripts: ['parts.js'] },
  );
}

const MOST_LISTED = 100;

function RefusedRows({ refusals }: { refusals: readonly RefusedRow[] }) {
  const { say } = useVisit();
  const file = Buffer.from(csvOf(refusals)).toString('base64');
  return (
    <Section title={texts.refused}>
      <Table caption={texts.refused} columns={columns} rows={refusals.slice(0, MOST_LISTED)} />
      <p>
        {refusals.length > MOST_LISTED && `${say(texts.onlyFirst)} ${MOST_LISTED}. `}
        <a download="refused.csv" href={`data:text/csv;charset=utf-8;base64,${file}`}>
          {say(texts.download)}
        </a>
      </p>
    </Section>
  );
}

const columns: readonly Column<RefusedRow>[] = [
  [texts.line, ({ line }) => line, 'number'],
  [texts.reason, ({ code }) => <code>{code}</code>],
  [texts.detail, ({ message }) => <span lang="en">{message}</span>],
  [texts.movement, ({ id }) => id],
];

const csvCell = (value: string | number): string => `"${String(value).replaceAll('"', '""')}"`;

const csvOf = (refusals: readonly RefusedRow[]): string =>
  [['line', 'code', 'message', 'id'], ...refusals.map(({ line, code, message, id = '' }) => [line, code, message, id])]
    .map((row) => `${row.map(csvCell).join(',')}\r\n`)
    .join('');
