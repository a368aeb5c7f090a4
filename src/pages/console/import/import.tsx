import type { VNode } from 'preact';
import { Alert, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { FileLink, factList, LinkLine, ProgressLine } from '../../design/pieces.js';
import { FaultyRows } from '../../shared/faulty-rows.js';
import { SheetError } from '../../shared/sheet.js';
import { importTexts as texts } from '../../texts.js';
import { keyed, type Visit } from '../../visit.js';
import { NumberText } from '../../written.js';
import { templateFile } from './file.js';
import { afterPart, begin, nextPart, type Progress, packed, unpacked } from './progress.js';

const PATH = '/console/movements/import';

export function showImport({ say, res }: Visit, error?: SheetError): VNode {
  if (error) res.status(400);
  return (
    <Page title={texts.title}>
      {error && <Alert text={error.text} detail={error.subject} />}
      <p>{say(texts.how)}</p>
      <p>
        <FileLink name="movimentacoes.csv" content={templateFile()} text={texts.template} isButton />{' '}
        <a href="/docs/guide/statuses">{say(texts.codes)}</a>
      </p>
      <PostForm action={PATH} enctype="multipart/form-data" submit={texts.check}>
        <Field
          name="file"
          type="file"
          label={texts.file}
          accept=".csv,.txt,.ndjson,.jsonl"
          isRequired
          hint={texts.bounds}
        />
      </PostForm>
      <p>{say(texts.safe)}</p>
      <p class="hint">{say(texts.format)}</p>
    </Page>
  );
}

const OPERATION = 'POST /operator/v1/movements';

/** Shows which rows would be sent, and which the contract refuses. */
export async function checkFile(visit: Visit): Promise<VNode> {
  const { file = { name: '', bytes: Buffer.alloc(0) } } = visit.form;
  try {
    return await showProgress(visit, await begin(visit, file));
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    return showImport(visit, error);
  }
}

/** Sends as many rows as one request may have, and shows the progress. */
export async function sendPart(visit: Visit): Promise<VNode> {
  const progress = await unpacked(visit);
  const part = nextPart(progress);
  const { results } = await visit.ask(OPERATION, { ...keyed(visit), body: { movements: part.movements } });
  return showProgress(visit, afterPart(visit, progress, part, results));
}

/** Shows a refused part. A person can send it again. */
export const showPart = async (visit: Visit): Promise<VNode> => showProgress(visit, await unpacked(visit));

async function showProgress(visit: Visit, progress: Progress): Promise<VNode> {
  const { name, left, count, faulty, recorded, duplicate } = progress;
  const hidden = { progress: await packed(progress, visit) };
  return (
    <Page title={texts.title} scripts={['parts.js']}>
      <ProgressLine title={left === 0 ? texts.finished : texts.sofar} done={count - left} all={count} />
      {factList([
        [texts.file, name],
        [texts.recorded, <NumberText of={recorded} />],
        [texts.duplicate, <NumberText of={duplicate} />],
        [texts.refused, <NumberText of={faulty.length} />],
        [texts.rest, <NumberText of={left} />],
      ])}
      {left > 0 && <PostForm action={`${PATH}/parts`} hidden={hidden} operation={OPERATION} submit={texts.send} />}
      {faulty.length > 0 && <FaultyRows sheet={progress} rows={faulty} />}
      <LinkLine href={PATH} text={texts.another} />
    </Page>
  );
}
