import type { components } from '../../../../generated/rest.js';
import { DELIVERED } from '../../../packages/movement.js';
import type { Language } from '../../language.js';
import { DateText, Facts, Time } from '../components.js';
import { show } from '../frame.js';
import { type Column, Table } from '../lists.js';
import { dataOf } from '../operations.js';
import type { Visit } from '../visit.js';
import { LabelsSection } from './files.js';
import { RouteMap, type Stop } from './map.js';
import { texts } from './texts.js';

type RestSchemas = components['schemas'];
type Order = RestSchemas['Order'];

/** In the order of the route. */
function stopsOf({ pickups, packages }: Order): Stop[] {
  const stops: Stop[] = [
    ...pickups.map(({ address, resolved_address: place, waypoint }) => ({ address, place, waypoint })),
    ...packages.map((each) => ({
      package: each,
      address: each.address,
      place: each.resolved_address,
      waypoint: each.waypoint,
    })),
  ];
  return stops.sort((a, b) => a.waypoint.index - b.waypoint.index);
}

// To make a format takes longer than the rest of the page.
const oneDecimal = (language: Language) => new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
const formats = { 'pt-BR': oneDecimal('pt-BR'), en: oneDecimal('en') };

const kilometres = (metres: number, { language }: Visit): string => `${formats[language].format(metres / 1000)} km`;

/** `GET /console/orders/{id}` */
export async function showOrder(visit: Visit): Promise<void> {
  const { rest, req, say } = visit;
  const path = { id: String(req.params['id']) };
  const order = await dataOf(rest.GET('/api/v1/orders/{id}', { params: { path } }));
  const { pricing, route } = order;
  const stops = stopsOf(order);
  show(
    visit,
    `${say(texts.order)} ${order.external_id ?? order.id}`,
    <>
      <Facts
        visit={visit}
        facts={[
          [texts.status, order.status],
          [texts.externalId, order.external_id ?? '–'],
          [texts.order, <code>{order.id}</code>],
          [texts.account, <a href={`/console/users/${order.user_id}`}>{order.user_id}</a>],
          [texts.created, <Time visit={visit} at={order.created_at} />],
          [texts.price, `R$ ${pricing.total}`],
          [texts.rateCard, pricing.rate_card_version],
          [texts.distance, `${kilometres(route.distance, visit)} (${route.distance_source})`],
        ]}
      />
      <section>
        <h2>{say(texts.route)}</h2>
        <RouteMap visit={visit} stops={stops} />
        <Table visit={visit} caption={texts.route} columns={stopColumns(visit)} rows={stops} />
      </section>
      <LabelsSection
        visit={visit}
        path={`/console/orders/${order.id}/labels`}
        operation="GET /api/v1/orders/{id}/labels"
      />
    </>,
  );
}

/** The proof of what was delivered is a click away. */
function StatusOf({
  visit,
  carried: { loggi_key: key, status },
}: {
  visit: Visit;
  carried: Order['packages'][number];
}) {
  const name = `${status.code} ${status.high_level_status}`;
  if (status.code !== DELIVERED) return <>{name}</>;
  return (
    <>
      {name} · <a href={`/console/packages/${key}#proof`}>{visit.say(texts.proof)}</a>
    </>
  );
}

const stopColumns = (visit: Visit): Column<Stop>[] => [
  { heading: texts.stop, cell: ({ waypoint }) => waypoint.index + 1, isNumber: true },
  { heading: texts.kind, cell: (stop) => visit.say(stop.package ? texts.delivery : texts.pickup) },
  {
    heading: texts.package,
    cell: ({ package: carried }) =>
      carried && <a href={`/console/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>,
  },
  {
    heading: texts.status,
    cell: ({ package: carried }) => carried && <StatusOf visit={visit} carried={carried} />,
  },
  { heading: texts.address, cell: ({ address }) => address.address },
  { heading: texts.eta, cell: ({ waypoint }) => <Time visit={visit} at={waypoint.eta} /> },
  {
    heading: texts.promised,
    cell: ({ package: carried }) => carried && <DateText visit={visit} date={carried.promised_date} />,
  },
  { heading: texts.leg, cell: ({ waypoint }) => kilometres(waypoint.leg_distance, visit), isNumber: true },
];
