import { Page } from '../design/frame.js';
import { factList, Section } from '../design/pieces.js';
import { type Column, Table } from '../design/tables.js';
import { shipperTexts as texts, valueWords } from '../texts.js';
import type { RestSchemas, Visit } from '../visit.js';
import { Money, NumberText, Time, Word } from '../written.js';

type PriceCard = RestSchemas['PriceCard'];
type Zones = NonNullable<PriceCard['zones']>;

/** Shows the present and the announced prices of the account. */
export async function showPrices({ ask }: Visit) {
  const { current, announced } = await ask('GET /api/v1/rate-card');
  return (
    <Page title={texts.prices}>
      <Prices card={current} />
      {announced && (
        <Section title={texts.announced}>
          <Prices card={announced} />
        </Section>
      )}
    </Page>
  );
}

const Prices = ({ card }: { card: PriceCard }) => [
  factList([
    [texts.since, <Time at={card.valid_from} />],
    [texts.base, <Money amount={card.base} />],
    [texts.per_km, <Money amount={card.per_km} />],
    [texts.per_kg, <Money amount={card.per_kg} />],
    [texts.per_extra_stop, <Money amount={card.per_extra_stop} />],
    [texts.volumetric_cm3_per_kg, <NumberText of={card.volumetric_cm3_per_kg} />],
    [texts.urban_km, card.zones && card.urban_km && <NumberText of={card.urban_km} />],
    [texts['ad_valorem.percent'], card.ad_valorem && <NumberText of={Number(card.ad_valorem.percent)} />],
    [texts['ad_valorem.least'], card.ad_valorem && <Money amount={card.ad_valorem.least} />],
    [texts.economyDays, card.zones?.economy_days && <NumberText of={card.zones.economy_days} />],
  ]),
  card.zones && <Table caption={texts.zones} columns={columnsOf(card.zones)} rows={rowsOf(card.zones)} />,
];

interface ZoneLine {
  service: 'express' | 'economy';
  upToKm: number;
  /** One price per weight, and at the end the price of each further kg. */
  prices: readonly string[];
}

const rowsOf = ({ rows }: Zones): ZoneLine[] =>
  rows.flatMap(({ up_to_km: upToKm, economy, ...express }) => [
    { service: 'express', upToKm, prices: [...express.prices, express.per_further_kg] },
    ...(economy ? [{ service: 'economy' as const, upToKm, prices: [...economy.prices, economy.per_further_kg] }] : []),
  ]);

function columnsOf({ weights }: Zones): readonly Column<ZoneLine>[] {
  const upTo = (grams: number) => `${grams / 1000} kg`;
  const headings = [...weights.map((grams) => ({ 'pt-BR': upTo(grams).replace('.', ','), en: upTo(grams) }))];
  return [
    [texts.service, ({ service }) => <Word of={valueWords.services} value={service} />],
    [texts.up_to_km, ({ upToKm }) => <NumberText of={upToKm} />, 'number'],
    ...[...headings, texts.per_further_kg].map((heading, at): Column<ZoneLine> => {
      return [heading, ({ prices }) => <Money amount={prices[at] ?? ''} />, 'number'];
    }),
  ];
}
