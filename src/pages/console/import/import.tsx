import type { Text } from '../../language.js';
import { Facts, HiddenFields, OperationForm } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Table } from '../lists.js';
import { dataOf, type RefusalError } from '../operations.js';
import { formFields, type Visit } from '../visit.js';
import { afterPart, begin, nextPart, type Progress, packed, type RefusedRow, unpacked } from './progress.js';

const texts = {
  title: { 'pt-BR': 'Importar movimentações', en: 'Import movements' },
  what: {
    'pt-BR':
      'Um arquivo em UTF-8, CSV (vírgula ou ponto e vírgula) ou JSON Lines, com os nomes do contrato. A primeira linha de um CSV diz as colunas:',
    en: 'A file in UTF-8, CSV (comma or semicolon) or JSON Lines, with the names of the contract. The first line of a CSV names its columns:',
  },
  safe: {
    'pt-BR':
      'Repetir é seguro: uma linha sem id recebe um que segue do seu conteúdo, e a mesma movimentação não é registrada duas vezes.',
    en: 'Repeating is safe: a row without an id gets one that follows from its content, and no movement is recorded twice.',
  },
  file: { 'pt-BR': 'Arquivo', en: 'File' },
  bounds: {
    'pt-BR': 'Até 2 MiB e 10 000 linhas; para mais: malote movements record --file',
    en: 'At most 2 MiB and 10,000 rows; for more: malote movements record --file',
  },
  check: { 'pt-BR': 'Conferir o arquivo', en: 'Check the file' },
  sofar: { 'pt-BR': 'Linhas tratadas', en: 'Rows dealt with' },
  finished: { 'pt-BR': 'Tudo foi enviado.', en: 'All of it was sent.' },
  recorded: { 'pt-BR': 'Registradas', en: 'Recorded' },
  duplicate: { 'pt-BR': 'Já registradas antes', en: 'Recorded before' },
  refused: { 'pt-BR': 'Linhas recusadas', en: 'Refused rows' },
  rest: { 'pt-BR': 'A enviar', en: 'Still to be sent' },
  send: { 'pt-BR': 'Enviar até 500 linhas', en: 'Send up to 500 rows' },
  another: { 'pt-BR': 'Importar outro arquivo', en: 'Import another file' },
  onlyFirst: { 'pt-BR': 'A tabela mostra só as primeiras', en: 'The table shows only the first' },
  download: { 'pt-BR': 'Baixar todas como CSV', en: 'Download all of them as CSV' },
  line: { 'pt-BR': 'Linha', en: 'Line' },
  reason: { 'pt-BR': 'Motivo', en: 'Reason' },
  detail: { 'pt-BR': 'Em detalhe', en: 'In detail' },
  movement: { 'pt-BR': 'Movimentação', en: 'Movement' },
} satisfies Record<string, Text>;

const EXAMPLE = 'loggi_key,status_code,happened_at,location.city,location.state';

/** `GET /console/movements/import` */
export function showImport(visit: Visit, refusal?: RefusalError): void {
  const { say } = visit;
  show(
    visit,
    say(texts.title),
    <>
      <p>{say(texts.what)}</p>
      <p class="example">
        <code>{EXAMPLE}</code>
      </p>
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
  const progress = await unpacked(form.text('progress'), visit);
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  const rows = nextPart(progress);
  const body = { movements: rows.map(([, movement]) => movement) };
  const { results } = await dataOf(visit.operator.POST('/operator/v1/movements', { params, body }));
  await showProgress(visit, afterPart(progress, rows, results));
}

/** What a part that was refused as a whole shows: it can be sent again. */
export async function showPart(visit: Visit, refusal: RefusalError, form: Form): Promise<void> {
  await showProgress(visit, await unpacked(form.text('progress'), visit), refusal);
}

async function showProgress(visit: Visit, progress: Progress, refusal?: RefusalError): Promise<void> {
  const { say } = visit;
  const { left, rows, refusals } = progress;
  const state = await packed(progress, visit);
  show(
    visit,
    say(texts.title),
    <>
      <p role="status">
        <label for="done">{say(left === 0 ? texts.finished : texts.sofar)}</label>{' '}
        <progress id="done" value={rows - left} max={rows} /> {rows - left} / {rows}
      </p>
      <Facts
        visit={visit}
        facts={[
          [texts.file, progress.name],
          [texts.recorded, progress.recorded],
          [texts.duplicate, progress.duplicate],
          [texts.refused, refusals.length],
          [texts.rest, left],
        ]}
      />
      {left > 0 && (
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
