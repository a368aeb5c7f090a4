import type { VNode } from 'preact';
import { csvLine } from '../../../files/csv.js';
import { Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { FileLink, factList, LinkLine, ProgressLine, Section } from '../../design/pieces.js';
import { type Column, Table } from '../../design/tables.js';
import { importTexts as texts } from '../../texts.js';
import { keyed, type Visit } from '../../visit.js';
import { Verbatim } from '../../written.js';
import { afterPart, begin, nextPart, type Progress, packed, type RefusedRow, unpacked } from './progress.js';

const EXAMPLE = 'barcode,status_code,happened_at,location.city,location.state';

export const showImport = ({ say }: Visit): VNode => (
  <Page title={texts.title}>
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
  </Page>
);

const OPERATION = 'POST /operator/v1/movements';

/** Shows which rows would be sent, and which the contract refuses. */
export async function checkFile(visit: Visit): Promise<VNode> {
  const { file = { name: '', bytes: Buffer.alloc(0) } } = visit.form;
  return showProgress(visit, await begin(file));
}

/** Sends as many rows as one request takes, and shows the progress. */
export async function sendPart(visit: Visit): Promise<VNode> {
  const progress = await unpacked(visit);
  const rows = nextPart(progress);
  const body = { movements: rows.map(([, movement]) => movement) };
  const { results } = await visit.ask(OPERATION, { ...keyed(visit), body });
  return showProgress(visit, afterPart(progress, rows, results));
}

/** Shows a part that was refused as a whole: it can be sent again. */
export const showPart = async (visit: Visit): Promise<VNode> => showProgress(visit, await unpacked(visit));

async function showProgress(visit: Visit, progress: Progress): Promise<VNode> {
  const { left, rows, refusals } = progress;
  const hidden = { progress: await packed(progress, visit) };
  const action = '/console/movements/import/parts';
  return (
    <Page title={texts.title} scripts={['parts.js']}>
      <ProgressLine title={left === 0 ? texts.finished : texts.sofar} done={rows - left} all={rows} />
      {factList([
        [texts.file, progress.name],
        [texts.recorded, progress.recorded],
        [texts.duplicate, progress.duplicate],
        [texts.refused, refusals.length],
        [texts.rest, left],
      ])}
      {left > 0 && <PostForm {...{ action, hidden }} operation={OPERATION} submit={texts.send} />}
      {refusals.length > 0 && (
        <Section title={texts.refused}>
          <Table caption={texts.refused} columns={columns} rows={refusals.slice(0, MAX_LISTED)} />
          <p>
            {refusals.length > MAX_LISTED && `${visit.say(texts.onlyFirst)} ${MAX_LISTED}. `}
            <FileLink name="refused.csv" content={csvOf(refusals)} text={texts.download} />
          </p>
        </Section>
      )}
      <LinkLine href="/console/movements/import" text={texts.another} />
    </Page>
  );
}

const MAX_LISTED = 100;

const columns: readonly Column<RefusedRow>[] = [
  [texts.line, ({ line }) => line, 'number'],
  [texts.reason, ({ code }) => <code>{code}</code>],
  [texts.detail, ({ message }) => <span lang="en">{message}</span>],
  [texts.movement, ({ id }) => id],
];

const csvOf = (refusals: readonly RefusedRow[]): string =>
  [['line', 'code', 'message', 'id'], ...refusals.map(({ line, code, message, id }) => [line, code, message, id])]
    .map((row) => csvLine(row, ','))
    .join('');
