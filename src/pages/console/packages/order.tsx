import { Page } from '../../design/frame.js';
import { MapLink, type MapPoint, TileMap } from '../../design/map.js';
import { Copy, factList, Section, TextLink } from '../../design/pieces.js';
import { type Column, Table } from '../../design/tables.js';
import { DELIVERED } from '../../facts.js';
import { allowTiles } from '../../page.js';
import { LabelsSection } from '../../shared/files.js';
import { factsOf, OrderChip, Promised, StatusChip } from '../../shared/words.js';
import { mapTexts, packageTexts as texts, valueWords } from '../../texts.js';
import type { RestSchemas, Visit } from '../../visit.js';
import { Metres, Money, Say, Time, Word } from '../../written.js';
import { Named, namesOf } from '../names.js';

type Order = RestSchemas['Order'];

/** A stop of the route: a pickup, or the delivery of a package. */
interface Stop {
  package?: RestSchemas['OrderPackage'];
  address: RestSchemas['Address'];
  place: RestSchemas['ResolvedAddress'];
  waypoint: RestSchemas['Waypoint'];
}

const pointOf = ({ place: { latitude, longitude, accuracy_metres: accuracyMetres } }: Stop): MapPoint => ({
  latitude,
  longitude,
  accuracyMetres,
});

function stopsOf({ pickups, packages }: Order): Stop[] {
  const deliveries = packages.map((carried) => ({ ...carried, package: carried }));
  const stops = [...pickups, ...deliveries].map(({ resolved_address: place, ...stop }) => ({ ...stop, place }));
  return stops.sort((a, b) => a.waypoint.index - b.waypoint.index);
}

export async function showOrder(visit: Visit) {
  const { ask, say, res, deps } = visit;
  const { mapTilesUrl: tiles } = deps;
  if (tiles) allowTiles(res, tiles);
  const order = await ask('GET /api/v1/orders/{id}');
  const { pricing, route } = order;
  const names = await namesOf(visit, [order.user_id]);
  const stops = stopsOf(order);
  const source = <Word of={valueWords.distanceSources} value={route.distance_source} />;
  return (
    <Page title={`${say(texts.order)} ${order.external_id ?? order.packages[0]?.tracking_code ?? ''}`}>
      {factList([
        [texts.status, <OrderChip status={order.status} />],
        [texts.external_id, order.external_id],
        [texts.account, <Named id={order.user_id} names={names} />],
        [texts.created, <Time at={order.created_at} />],
        [texts.ready_at, order.ready_at && <Time at={order.ready_at} />],
        ...factsOf(order.metadata),
        [texts.price, <Money amount={pricing.total} />],
        [texts.service, <Word of={valueWords.services} value={order.service} />],
        [texts.rateCard, pricing.rate_card_version],
        [texts.distance, [<Metres of={route.distance} />, ' (', source, ')']],
        [texts.orderId, <Copy value={order.id} />],
      ])}
      <Section title={texts.route}>
        {tiles && <TileMap tiles={tiles} label={mapTexts.route} points={stops.map(pointOf)} />}
        <Table caption={texts.route} columns={stopColumns} rows={stops} />
      </Section>
      <LabelsSection path={`/console/orders/${order.id}/labels`} />
    </Page>
  );
}

/** Shows the status. A delivered package also has a link to its proof. */
function StatusOf({ carried: { loggi_key: key, status } }: { carried: Order['packages'][number] }) {
  const proof = <TextLink href={`/console/packages/${key}#proof`} text={texts.proof} />;
  return [<StatusChip status={status} />, status.code === DELIVERED && [' ', proof]];
}

/** Shows the address, and how far the true place may be from the place on the map. */
function addressOf(stop: Stop) {
  const metres = stop.place.accuracy_metres;
  const around = metres !== undefined && <small>{[' ± ', <Metres of={metres} />]}</small>;
  return [<MapLink place={pointOf(stop)} text={stop.address.address} />, around];
}

const stopColumns: readonly Column<Stop>[] = [
  [texts.stop, ({ waypoint }) => waypoint.index + 1, 'number'],
  [
    texts.package,
    ({ package: carried }) =>
      carried ? (
        <a href={`/console/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>
      ) : (
        <Say text={texts.pickup} />
      ),
  ],
  [texts.status, ({ package: carried }) => carried && <StatusOf carried={carried} />],
  [texts.address, addressOf],
  [texts.eta, ({ waypoint }) => <Time at={waypoint.eta} />],
  [texts.promised, ({ package: carried }) => carried && <Promised {...carried} />],
  [texts.leg, ({ waypoint }) => <Metres of={waypoint.leg_distance} />, 'number'],
];
