import { Alert, Choice, Field, Filters } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { LinkLine } from '../design/pieces.js';
import { RefusalError } from '../operations.js';
import { fileTarget } from '../shared/files.js';
import { faultText, type Text, shipperTexts as texts, valueWords } from '../texts.js';
import { asked, askedOf, hrefWith, type Visit } from '../visit.js';

const services = ['express', 'economy'] as const;
const layouts = ['malote', 'vtex'] as const;
const layoutNames: Readonly<Record<(typeof layouts)[number], Text>> = {
  malote: { 'pt-BR': 'Malote', en: 'Malote' },
  vtex: { 'pt-BR': 'VTEX', en: 'VTEX' },
};

/** Shows the form for a price table. With a postal code it sends the file, or says that the file is being made. */
export async function showRateTable(visit: Visit) {
  const pickup = asked(visit, 'pickup_postal_code');
  const answer = pickup === '' ? null : await answerTo(visit, pickup);
  if (answer === undefined) return undefined;
  const [service = 'express', layout = 'malote'] = [
    askedOf(visit, 'service', services),
    askedOf(visit, 'layout', layouts),
  ];
  return (
    <Page title={texts.rateTable}>
      <p>{visit.say(texts.rateTableHint)}</p>
      <Filters submit={texts.downloadTable}>
        <Field name="pickup_postal_code" label={texts.fromPostalCode} value={pickup} maxLength={20} isRequired />
        <Choice
          name="service"
          label={texts.service}
          value={service}
          options={services.map((each) => [each, valueWords.services[each] ?? each])}
        />
        <Choice
          name="layout"
          label={texts.layout}
          value={layout}
          options={layouts.map((each) => [each, layoutNames[each]])}
        />
      </Filters>
      {answer}
    </Page>
  );
}

/** Sends the file and returns undefined, or returns the message to show. */
async function answerTo(visit: Visit, pickup: string) {
  const { res, send, say } = visit;
  const query = {
    pickup_postal_code: pickup,
    service: askedOf(visit, 'service', services),
    layout: askedOf(visit, 'layout', layouts),
  };
  try {
    const { status } = await send('GET /api/v1/rate-table', { query, target: fileTarget(res) });
    if (status === 200) {
      res.end();
      return undefined;
    }
    return [
      <p class="notice" role="status">
        {say(texts.tableWaits)}
      </p>,
      <LinkLine href={hrefWith(visit, {})} text={texts.askTableAgain} />,
    ];
  } catch (error) {
    if (!(error instanceof RefusalError) || error.code !== 'VALIDATION_ERROR') throw error;
    const [detail] = error.details;
    return <Alert text={texts.postal_code} detail={detail && faultText(detail, say)} />;
  }
}
