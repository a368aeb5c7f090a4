import type { Located, Place } from '../base/place.js';

/**
 * Municipalities, by state, to which no road or regular car ferry leads from the rest of Brazil: cargo gets there by river or
 * air only. Those of one line may be joined with each other. From public sources: an account of the roads of Amazonas
 * (aca.org.br, 2024), pages of the municipalities, and press reports of 2018 to 2026 on towns without a road. What is not
 * beyond doubt is left out: towns with a track that is open for a part of the year (Porto Walter, Manicoré, Envira), the
 * east of Marajó, which has a car ferry, and the north bank of the lower Amazon.
 */
const isolated: Record<string, readonly (readonly string[])[]> = {
  AC: [['Jordão'], ['Marechal Thaumaturgo'], ['Santa Rosa do Purus']],
  AM: [
    ['Alvarães', 'Tefé', 'Uarini'],
    ['Amaturá'],
    ['Anori', 'Codajás'],
    ['Atalaia do Norte', 'Benjamin Constant'],
    ['Barcelos'],
    ['Barreirinha', 'Boa Vista do Ramos', 'Maués'],
    ['Carauari'],
    ['Coari'],
    ['Eirunepé'],
    ['Fonte Boa'],
    ['Ipixuna'],
    ['Itamarati'],
    ['Japurá'],
    ['Juruá'],
    ['Jutaí'],
    ['Maraã'],
    ['Parintins'],
    ['Santa Isabel do Rio Negro'],
    ['Santo Antônio do Içá'],
    ['São Gabriel da Cachoeira'],
    ['São Paulo de Olivença'],
    ['Tabatinga'],
    ['Tapauá'],
    ['Tonantins'],
  ],
  PA: [
    ['Afuá'],
    ['Anajás', 'Breves'],
    ['Bagre'],
    ['Chaves'],
    ['Curralinho'],
    ['Gurupá'],
    ['Melgaço'],
    ['São Sebastião da Boa Vista'],
  ],
  PE: [['Fernando de Noronha']],
};

/** The road network of each isolated municipality, by its name and state; all others are on the national one. */
export const isolatedNetworks: ReadonlyMap<string, string> = new Map(
  Object.entries(isolated).flatMap(([state, networks]) =>
    networks.flatMap((network) => network.map((city) => [nameOf({ city, state }), network.join()] as const)),
  ),
);

const NATIONAL = '';

function nameOf({ city, state }: Pick<Place, 'city' | 'state'>): string {
  return `${city} - ${state}`;
}

function networkOf(place: Place): string {
  return isolatedNetworks.get(nameOf(place)) ?? NATIONAL;
}

/**
 * The stops of one route as one can drive to them: a place that no road joins to the others gets a message instead. Of places
 * on several road networks, those on the national one stay, or else those on the first stop's.
 */
export function joinedByRoad(stops: readonly (Located | undefined)[]): (Located | undefined)[] {
  const placeNetworks = stops.flatMap((stop) => (stop?.ok ? [networkOf(stop.place)] : []));
  const common = placeNetworks.includes(NATIONAL) ? NATIONAL : placeNetworks[0];
  return stops.map((stop) => {
    if (!stop?.ok || networkOf(stop.place) === common) return stop;
    return { ok: false, message: roadless(nameOf(stop.place)) };
  });
}

const roadless = (name: string): string =>
  `No road or car ferry joins ${name} to the other addresses of the order: order pickups and deliveries there separately.`;
