import { Alert, type Column, Facts, Field, LinkLine, PostForm, Section, Table, useVisit } from '../../design/index.js';
import type { Visit } from '../../session/visit.js';
import { orderFileTexts as texts } from '../../texts.js';
import { Money } from '../../times.js';
import { show } from '../frame.js';
import { LabelFiles } from '../labels.js';
import { faultyFile, OrderFileError, readOrders, templateFile } from './file.js';
import { begin, type CellError, checkPart, orderPart, type Progress, packed, unpacked } from './progress.js';

const PATH = '/envios/import';

export function showImport(visit: Visit, error?: OrderFileError): void {
  const { say } = visit;
  show(
    visit,
    texts.title,
    <>
      {error && <Alert text={error.text} detail={error.subject} />}
      <p>{say(texts.how)}</p>
      <p>
        <a class="button secondary" download="pedidos.csv" href={dataOf(templateFile())}>
          {say(texts.template)}
        </a>{' '}
        <a href="/docs/guide/orders#orders-from-a-file">{say(texts.columns)}</a>
      </p>
      <PostForm action={PATH} enctype="multipart/form-data" submit={texts.check}>
        <Field name="file" type="file" label={texts.file} accept=".csv" isRequired hint={texts.bounds} />
        <Field name="pickup" label={texts.pickup} maxLength={255} hint={texts.pickupHint} />
      </PostForm>
      <p>{say(texts.safe)}</p>
    </>,
    error ? { status: 400 } : {},
  );
}

/** Reads the file, and checks its first rows. */
export async function checkFile(visit: Visit): Promise<void> {
  const { file = { name: '', bytes: Buffer.alloc(0) }, text } = visit.form;
  try {
    const progress = begin(await readOrders(file), text('pickup').trim(), visit);
    await showProgress(visit, await checkPart(visit, progress));
  } catch (error) {
    if (!(error instanceof OrderFileError)) throw error;
    showImport(visit, error);
  }
}

export const checkNext = async (visit: Visit): Promise<void> =>
  showProgress(visit, await checkPart(visit, await unpacked(visit)));

export const orderNext = async (visit: Visit): Promise<void> =>
  showProgress(visit, await orderPart(visit, await unpacked(visit)));

/** Shows a part that was refused as a whole: it can be sent again. */
export const showPart = async (visit: Visit): Promise<void> => showProgress(visit, await unpacked(visit));

async function showProgress(visit: Visit, progress: Progress): Promise<void> {
  const { say } = visit;
  const { unchecked, priced, faulty, placed, earlier, count, total } = progress;
  const isChecking = unchecked.length > 0;
  const left = isChecking ? unchecked.length : priced.length;
  const done = isChecking || placed.length > 0 ? count - left : count;
  const hidden = { progress: await packed(progress, visit) };
  const title = isChecking
    ? texts.checking
    : left === 0
      ? texts.finished
      : placed.length > 0
        ? texts.ordering
        : texts.checked;
  show(
    visit,
    texts.title,
    <>
      <p role="status">
        <label for="done">{say(title)}</label> <progress id="done" value={done} max={count} /> {done} / {count}
      </p>
      <Facts
        facts={[
          [texts.rows, count],
          [texts.ready, priced.length],
          [texts.placed, placed.length],
          [texts.earlier, earlier],
          [texts.faulty, faulty.length],
          [texts.total, isChecking ? undefined : <Money amount={total} />],
        ]}
      />
      {isChecking && <PostForm action={`${PATH}/check/parts`} submit={texts.checkNext} hidden={hidden} />}
      {!isChecking && left > 0 && (
        <PostForm
          action={`${PATH}/order/parts`}
          operation="POST /api/v1/orders"
          submit={placed.length > 0 ? texts.orderNext : texts.order}
          hidden={hidden}
        />
      )}
      {!isChecking && faulty.length > 0 && <FaultyRows progress={progress} />}
      {left === 0 && placed.length > 0 && <LabelFiles orders={placed} />}
      <LinkLine href={PATH} text={texts.another} />
    </>,
    { scripts: ['parts.js'] },
  );
}

const MOST_LISTED = 100;

type ListedError = CellError & { line: number; value: string };

function FaultyRows({ progress: { headings, faulty } }: { progress: Progress }) {
  const { say } = useVisit();
  const rows = faulty.flatMap(({ line, cells, errors }) =>
    errors.map((error): ListedError => ({ ...error, line, value: cells[headings.indexOf(error.column)] ?? '' })),
  );
  const file = faultyFile(
    headings,
    faulty.map(({ errors, ...row }) => ({
      ...row,
      error: errors.map(({ column, text }) => [column, text].filter(Boolean).join(': ')).join('; '),
    })),
  );
  return (
    <Section title={texts.faulty}>
      <p>
        {say(texts.correct)}{' '}
        <a class="button secondary" download="corrigir.csv" href={dataOf(file)}>
          {say(texts.download)}
        </a>
      </p>
      <Table caption={texts.faulty} columns={errorColumns} rows={rows.slice(0, MOST_LISTED)} />
    </Section>
  );
}

const errorColumns: readonly Column<ListedError>[] = [
  [texts.line, ({ line }) => line, 'number'],
  [texts.column, ({ column }) => column],
  [texts.wrong, ({ text }) => text],
  [texts.value, ({ value }) => value],
];

const dataOf = (csv: string): string => `data:text/csv;charset=utf-8;base64,${Buffer.from(csv).toString('base64')}`;
