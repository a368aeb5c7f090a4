import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { weekdays } from '../base/weekdays.js';
import {
  type AreasPreview,
  previewAreas,
  type RefusedOrder,
  refusedUnderWay,
  type StopRefusal,
} from '../carrier/areas-preview.js';
import {
  type AreasSummary,
  type AreasVersion,
  addAreas,
  currentAreas,
  getAreas,
  listAreas,
  type NewAreas,
} from '../carrier/areas-versions.js';
import type { Area } from '../db/tables/areas.js';
import { listReply } from '../http/paging.js';
import type { Bodies, OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type AreasOperation =
  | 'addServiceAreas'
  | 'previewServiceAreas'
  | 'listServiceAreas'
  | 'getCurrentServiceAreas'
  | 'getServiceAreas';

export const serviceAreasHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<AreasOperation> => ({
  addServiceAreas: async ({ body }) => {
    const input = fromInput(body);
    return async (trx) => {
      const added = await addAreas(trx, input);
      const refused = await refusedUnderWay(trx, added.version, added.areas);
      const headers = { Location: `/operator/v1/service-areas/${added.version}` };
      return { status: 201, body: toAreas(added, refused), headers };
    };
  },

  previewServiceAreas: async ({ body }) => {
    const { areas } = fromInput(body);
    const preview = await readList((replica) => previewAreas(replica, areas));
    return async () => ({ status: 200, body: toPreview(preview) });
  },

  listServiceAreas: ({ query }) => listReply(query, (page) => listAreas(db, page), toSummary),

  getCurrentServiceAreas: async () => {
    const areas = await currentAreas(db);
    if (!areas) throw notFound('version of service areas');
    return { status: 200, body: toAreas(areas) };
  },

  getServiceAreas: async ({ params }) => {
    const areas = await getAreas(db, params.version);
    if (!areas) throw notFound('version of service areas');
    return { status: 200, body: toAreas(areas) };
  },
});

function fromInput({ valid_from, areas, ...others }: Schemas['ServiceAreasInput']): NewAreas {
  others satisfies NoKey;
  return { validFrom: toTime(valid_from), areas: areas.map(fromArea) };
}

function fromArea(input: Schemas['ServiceAreaInput']): Area {
  const { name, states, municipalities, postal_codes, collects, delivers, services, ...rest } = input;
  const { weekdays: days, extra_workdays, ...others } = rest;
  others satisfies NoKey;
  return {
    name: name ?? '',
    states: [...(states ?? [])],
    municipalities: [...(municipalities ?? [])],
    postalCodes: (postal_codes ?? []).map(({ from, to }) => ({ from, to })),
    collects: collects ?? true,
    delivers: delivers ?? true,
    services: [...(services ?? (['express', 'economy'] as const))],
    weekdays: [...(days ?? weekdays)],
    extraWorkdays: extra_workdays ?? 0,
  };
}

const toAreas = (version: AreasVersion, refused?: number): Bodies['ServiceAreas'] => ({
  version: version.version,
  valid_from: version.valid_from.toISOString(),
  created_at: version.created_at.toISOString(),
  place_count: version.place_count,
  areas: version.areas.map(toArea),
  refused_under_way: refused,
});

const toArea = (area: Area): Bodies['ServiceArea'] => ({
  name: area.name,
  states: area.states,
  municipalities: area.municipalities,
  postal_codes: area.postalCodes.map(({ from, to }) => ({ from, to })),
  collects: area.collects,
  delivers: area.delivers,
  services: area.services,
  weekdays: area.weekdays,
  extra_workdays: area.extraWorkdays,
});

const toSummary = (version: AreasSummary): Bodies['ServiceAreasSummary'] => ({
  version: version.version,
  valid_from: version.valid_from.toISOString(),
  created_at: version.created_at.toISOString(),
  place_count: version.place_count,
  in_force: version.in_force,
});

const toPreview = ({ orderCount, refused }: AreasPreview): Bodies['ServiceAreasPreview'] => ({
  order_count: orderCount,
  refused_count: refused.length,
  orders: refused.map(toRefusedOrder),
});

const toRefusedOrder = (order: RefusedOrder): Bodies['RefusedOrder'] => ({
  order_id: order.id,
  external_id: order.externalId ?? undefined,
  created_at: order.createdAt.toISOString(),
  refusals: order.refusals.map(toRefusal),
});

const toRefusal = ({ field, code, message, place, area, decidedBy }: StopRefusal): Bodies['AreaRefusal'] => ({
  field,
  code,
  message,
  city: place.city,
  state: place.state,
  postal_code: place.postalCode,
  area: area === undefined ? undefined : area + 1,
  decided_by: decidedBy,
});
