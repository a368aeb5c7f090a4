import { Alert, Field, Filters } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { RefusalError } from '../operations.js';
import { placeText } from '../shared/words.js';
import { faultText, type Text, shipperTexts as texts, valueWords } from '../texts.js';
import { asked, type RestSchemas, useVisit, type Visit } from '../visit.js';

type Coverage = RestSchemas['Coverage'];

/** Says whether the carrier serves a postal code. `coverage.js` shows the answer beside the address of a new order. */
export async function showCoverage(visit: Visit) {
  const [to, from] = [asked(visit, 'to'), asked(visit, 'from')];
  const answer = await answerTo(visit, to, from);
  return (
    <Page title={texts.coverage}>
      <p>{visit.say(texts.coverageHint)}</p>
      <Filters submit={texts.askCoverage}>
        <Field name="to" label={texts.toPostalCode} value={to} maxLength={20} />
        <Field name="from" label={texts.fromPostalCode} value={from} maxLength={20} />
      </Filters>
      {answer}
    </Page>
  );
}

async function answerTo({ ask, say }: Visit, to: string, from: string) {
  if (to === '' && from === '') return null;
  const query = { postal_code: to || from, pickup_postal_code: to === '' ? '' : from };
  try {
    const { data } = await ask('GET /api/v1/coverage', { query });
    return data.map((coverage) => (to === '' ? <Pickup {...coverage} /> : <Delivery {...coverage} />));
  } catch (error) {
    if (!(error instanceof RefusalError) || error.code !== 'VALIDATION_ERROR') throw error;
    const [detail] = error.details;
    return <Alert text={texts.postal_code} detail={detail && faultText(detail, say)} />;
  }
}

const Answer = ({ isServed, text }: { isServed: boolean; text: string }) => (
  <p id="answer" class={`notice ${isServed ? 'good' : 'bad'}`} role="status" data-served={String(isServed)}>
    {text}
  </p>
);

function nameOf({ city, state, postal_code: code = '' }: Coverage): string {
  return city === undefined || state === undefined ? code : (placeText({ city, state }) ?? code);
}

function Pickup(coverage: Coverage) {
  const { say } = useVisit();
  const isServed = coverage.collects;
  return (
    <Answer
      {...{ isServed }}
      text={`${say(isServed ? texts.collectsThere : texts.notCollectsThere)} ${nameOf(coverage)}.`}
    />
  );
}

function Delivery(coverage: Coverage) {
  const { say } = useVisit();
  const { served: isServed, reason, message = '' } = coverage;
  if (isServed)
    return <Answer isServed text={`${say(texts.served)} ${nameOf(coverage)}: ${termsOf(coverage, say)}.`} />;
  const fault = reason === undefined ? message : faultText({ field: 'to', code: reason, message }, say);
  const why = reason === 'not_collected' ? ` (${say(texts.fromPostalCode)}: ${fault})` : `: ${fault}`;
  return <Answer {...{ isServed }} text={`${say(texts.notServed)} ${nameOf(coverage)}${why}.`} />;
}

/** From Monday to Saturday, as couriers usually work. */
const USUAL_DAYS = 6;

/** The services, and where they are special the days. */
function termsOf({ services, weekdays, extra_workdays: extra }: Coverage, say: (text: Text) => string): string {
  const words = (kind: 'services' | 'weekdays', values: readonly string[]) =>
    values.map((value) => say(valueWords[kind][value] ?? texts.every)).join(', ');
  const days = weekdays.length >= USUAL_DAYS ? '' : `; ${words('weekdays', weekdays)}`;
  return `${words('services', services)}${days}${extra === 0 ? '' : `; ${say(texts.extraWorkdays)}: ${extra}`}`;
}
