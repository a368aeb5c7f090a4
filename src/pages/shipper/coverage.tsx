import { Alert, Field, Filters } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { RefusalError } from '../operations.js';
import { placeText } from '../shared/words.js';
import { faultText, type Text, shipperTexts as texts, valueWords } from '../texts.js';
import { asked, type RestSchemas, useVisit, type Visit } from '../visit.js';

type Coverage = RestSchemas['Coverage'];

/** Says whether the carrier serves a postal code. `new-order.js` shows the answer under the CEP of a new order. */
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
    return data.map((coverage) => (
      <AnswerNotice {...(to === '' ? pickupAnswer(coverage, say) : deliveryAnswer(coverage, say))} />
    ));
  } catch (error) {
    if (!(error instanceof RefusalError) || error.code !== 'VALIDATION_ERROR') throw error;
    const [detail] = error.details;
    return <Alert text={texts.postal_code} detail={detail && faultText(detail, say)} />;
  }
}

function nameOf({ city, state, postal_code: code = '' }: Coverage): string {
  return city === undefined || state === undefined ? code : (placeText({ city, state }) ?? code);
}

type Say = (text: Text) => string;

interface Answer {
  isServed: boolean;
  text: string;
}

function pickupAnswer(coverage: Coverage, say: Say): Answer {
  const isServed = coverage.collects;
  return { isServed, text: `${say(isServed ? texts.collectsThere : texts.notCollectsThere)} ${nameOf(coverage)}.` };
}

function deliveryAnswer(coverage: Coverage, say: Say): Answer {
  const { served: isServed, reason, message = '' } = coverage;
  if (isServed) return { isServed, text: `${say(texts.served)} ${nameOf(coverage)}: ${termsOf(coverage, say)}.` };
  const fault = reason === undefined ? message : faultText({ field: 'to', code: reason, message }, say);
  const why = reason === 'not_collected' ? ` (${say(texts.fromPostalCode)}: ${fault})` : `: ${fault}`;
  return { isServed, text: `${say(texts.notServed)} ${nameOf(coverage)}${why}.` };
}

const AnswerNotice = ({ isServed, text }: Answer) => (
  <p id="answer" class={`notice ${isServed ? 'good' : 'bad'}`} role="status" data-served={String(isServed)}>
    {text}
  </p>
);

/** The answer under a CEP field. Empty until a person types a CEP. */
const Line = ({ answer }: { answer: Answer | undefined }) => (
  <p class={answer?.isServed === false ? 'error' : 'hint'} role="status">
    {answer?.text}
  </p>
);

export function PickupLine({ coverage }: { coverage: Coverage | undefined }) {
  const { say } = useVisit();
  return <Line answer={coverage && pickupAnswer(coverage, say)} />;
}

export function DeliveryLine({ coverage }: { coverage: Coverage | undefined }) {
  const { say } = useVisit();
  return <Line answer={coverage && deliveryAnswer(coverage, say)} />;
}

/** Couriers usually work from Monday to Saturday. */
const USUAL_DAYS = 6;

/** Lists the services, and the working days if they are unusual. */
function termsOf({ services, weekdays, extra_workdays: extra }: Coverage, say: Say): string {
  const words = (kind: 'services' | 'weekdays', values: readonly string[]) =>
    values.map((value) => say(valueWords[kind][value] ?? texts.every)).join(', ');
  const days = weekdays.length >= USUAL_DAYS ? '' : `; ${words('weekdays', weekdays)}`;
  return `${words('services', services)}${days}${extra === 0 ? '' : `; ${say(texts.extraWorkdays)}: ${extra}`}`;
}
