import type { VNode } from 'preact';
import { Alert, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { FileLink, factList, LinkLine, ProgressLine, Section } from '../../design/pieces.js';
import { type Column, Table } from '../../design/tables.js';
import { FaultyRows } from '../../shared/faulty-rows.js';
import { cellOf, readSheet, SheetError } from '../../shared/sheet.js';
import { Placed } from '../../shared/words.js';
import { orderFileTexts as texts } from '../../texts.js';
import { useVisit, type Visit } from '../../visit.js';
import { DateText, Money, NumberText } from '../../written.js';
import { LabelFiles } from '../lists.js';
import { PickupChoice, savedPickup } from '../order/preset-choice.js';
import { orderForm, REFERENCE, shownCell, templateFile } from './file.js';
import {
  begin,
  checkPart,
  deliveryBox,
  isUnsure,
  orderPart,
  type Progress,
  packed,
  pickupBox,
  type ReadPlace,
  unpacked,
} from './progress.js';

const PATH = '/envios/import';

export async function showImport({ say, res, ask }: Visit, error?: SheetError): Promise<VNode> {
  if (error) res.status(400);
  const { pickups } = await ask('GET /api/v1/presets');
  return (
    <Page title={texts.title}>
      {error && <Alert text={error.text} detail={error.subject} />}
      <p>{say(texts.how)}</p>
      <p>
        <FileLink name="pedidos.csv" content={templateFile()} text={texts.template} isButton />{' '}
        <a href="/docs/guide/orders#orders-from-a-file">{say(texts.columns)}</a>
      </p>
      <PostForm action={PATH} enctype="multipart/form-data" submit={texts.check}>
        <Field name="file" type="file" label={texts.file} accept=".csv,.txt" isRequired hint={texts.bounds} />
        <PickupChoice presets={pickups} />
        <Field name="pickup" label={texts.pickup} maxLength={255} hint={texts.pickupHint} />
      </PostForm>
      <p>{say(texts.safe)}</p>
    </Page>
  );
}

/** Reads the file and checks its first rows. */
export async function checkFile(visit: Visit): Promise<VNode> {
  const { file = { name: '', bytes: Buffer.alloc(0) }, text } = visit.form;
  try {
    const pickup = { 'pickups.0.address.address': text('pickup').trim(), ...(await savedPickup(visit)) };
    const progress = begin(await readSheet(file, orderForm), pickup, visit);
    return await showProgress(visit, await checkPart(visit, progress));
  } catch (error) {
    if (!(error instanceof SheetError)) throw error;
    return showImport(visit, error);
  }
}

const goOn = (work: typeof checkPart) => async (visit: Visit) =>
  showProgress(visit, await work(visit, await unpacked(visit)));

export const checkNext = goOn(checkPart);
export const orderNext = goOn(async (visit, progress) =>
  progress.isConfirmed || visit.form.has(AGREED) ? orderPart(visit, progress) : progress,
);

/** Shows a refused part. A person can send it again. */
export const showPart = async (visit: Visit): Promise<VNode> => showProgress(visit, await unpacked(visit));

/** The step of the import, and the form for the next step with the number of rows `left`. Undefined at the end. */
function stepOf({ unchecked, priced, placed }: Progress) {
  const next = { operation: 'POST /api/v1/orders', action: `${PATH}/order/parts`, left: priced.length } as const;
  if (unchecked.length > 0) {
    const checking = { action: `${PATH}/check/parts`, submit: texts.checkNext, left: unchecked.length };
    return { title: texts.checking, next: checking };
  }
  if (priced.length === 0) return { title: texts.finished };
  return placed.length > 0
    ? { title: texts.ordering, next: { ...next, submit: texts.orderNext } }
    : { title: texts.checked, next: { ...next, submit: texts.order } };
}

async function showProgress(visit: Visit, progress: Progress): Promise<VNode> {
  const { unchecked, priced, faulty, placed, earlier, count, total } = progress;
  const { title, next } = stepOf(progress);
  const isChecked = unchecked.length === 0;
  const done = title === texts.checked ? count : count - (next?.left ?? 0);
  const hidden = { progress: await packed(progress, visit) };
  return (
    <Page title={texts.title} scripts={['parts.js']}>
      <ProgressLine title={title} done={done} all={count} />
      {factList([
        [texts.rows, <NumberText of={count} />],
        [texts.ready, <NumberText of={priced.length} />],
        [texts.placed, <NumberText of={placed.length} />],
        [texts.earlier, <NumberText of={earlier} />],
        [texts.faulty, <NumberText of={faulty.length} />],
        [texts.total, isChecked ? <Money amount={total} /> : undefined],
      ])}
      {next && (
        <PostForm {...next} hidden={hidden}>
          {title === texts.checked && [<Readings progress={progress} />, <Agreement progress={progress} />]}
        </PostForm>
      )}
      {isChecked && faulty.length > 0 && <FaultyRows sheet={progress} rows={faulty} shown={shownCell} />}
      {!next && placed.length > 0 && <LabelFiles orders={placed} />}
      <LinkLine href={PATH} text={texts.another} />
    </Page>
  );
}

const AGREED = 'agreed';

/**
 * A checkbox that must be ticked before anything is ordered. So a second click on the previous button orders nothing.
 */
function Agreement({ progress: { priced, total } }: { progress: Progress }) {
  const { say } = useVisit();
  return (
    <p class="agreement">
      <input type="checkbox" id={AGREED} name={AGREED} value="yes" required />{' '}
      <label for={AGREED}>
        {say(texts.agree)} <NumberText of={priced.length} />, <Money amount={total} />
      </label>
    </p>
  );
}

/** Shows how all addresses were read. Unsure ones come first, and are ordered only if the person ticks their box. */
function Readings({ progress }: { progress: Progress }) {
  const { say } = useVisit();
  const { pickups, priced } = progress;
  const ofPickups = pickups.map((read, index) => ({ name: say(texts.pickup), read, box: pickupBox(index) }));
  const ofRows = priced.map(({ line, total, date, read, ...row }) => ({
    ...{ name: `${line} · ${cellOf(progress, { line, ...row }, REFERENCE)}`, read, total, date },
    box: deliveryBox(line),
  }));
  const all: readonly Reading[] = [...ofPickups, ...ofRows];
  const unsure = all.filter(({ read }) => isUnsure(read));
  const sure = all.filter((each) => !unsure.includes(each));
  return [
    unsure.length > 0 && (
      <Section title={texts.unsure} kind="notice unsure">
        <p>{say(texts.unsureHint)}</p>
        <Table caption={texts.unsure} columns={[[texts.right, Confirmation], ...readingColumns]} rows={unsure} />
      </Section>
    ),
    sure.length > 0 && (
      <details>
        <summary>{`${say(texts.readings)}: ${sure.length}`}</summary>
        <Table caption={texts.readings} columns={readingColumns} rows={sure} />
      </details>
    ),
  ];
}

interface Reading {
  name: string;
  read: ReadPlace;
  /** The name of the checkbox that confirms an unsure address. */
  box: string;
  total?: string;
  date?: string;
}

const Confirmation = ({ box, name }: Reading) => {
  const { form, say } = useVisit();
  const label = `${say(texts.right)}: ${name}`;
  return <input type="checkbox" name={box} value="yes" checked={form.has(box)} aria-label={label} />;
};

const readingColumns: readonly Column<Reading>[] = [
  [texts.line, ({ name }) => name],
  [texts.value, ({ read }) => read.typed],
  [texts.readAs, ({ read }) => <Placed place={read.place} street={read.street} />],
  [texts.promised, ({ date }) => date && <DateText at={date} />],
  [texts.price, ({ total }) => total && <Money amount={total} />, 'number'],
];
