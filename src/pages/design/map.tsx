import { type Text, mapTexts as texts } from '../texts.js';
import { useSay } from '../written.js';

/** A place on a map, with the largest distance to the true place. */
export interface MapPoint {
  latitude: number;
  longitude: number;
  accuracyMetres?: number | undefined;
}

const SERVICE = 'https://www.openstreetmap.org';

/** Address of a place at a map service. Nothing is loaded from there until a person follows the link. */
const mapHref = (place: MapPoint | string): string =>
  typeof place === 'string'
    ? `${SERVICE}/search?${new URLSearchParams({ query: place })}`
    : `${SERVICE}/?mlat=${place.latitude}&mlon=${place.longitude}#map=16/${place.latitude}/${place.longitude}`;

/** A link from an address to a map service. */
export const MapLink = ({ place, text }: { place: MapPoint | string; text: string }) => (
  <a href={mapHref(place)} rel="noreferrer">
    {text}
  </a>
);

const TILE = 256;
const [COLUMNS, ROWS] = [4, 3];
const CLOSEST = 16;
/** Pixels for the points. It is less than the grid, because the grid starts at the edge of a tile. */
const room = { x: 600, y: 380 };
const RADIANS = Math.PI / 180;
const EQUATOR_METRES = 40_075_016.686;

/** Mercator projection onto a world of one tile. `r` is the accuracy in pixels of that tile. */
function projected({ latitude, longitude, accuracyMetres = 0 }: MapPoint) {
  const angle = Math.max(-85, Math.min(85, latitude)) * RADIANS;
  return {
    x: ((longitude + 180) / 360) * TILE,
    y: ((1 - Math.log(Math.tan(angle) + 1 / Math.cos(angle)) / Math.PI) / 2) * TILE,
    r: (accuracyMetres * TILE) / (EQUATOR_METRES * Math.cos(angle)),
  };
}

function span(places: readonly ReturnType<typeof projected>[], axis: 'x' | 'y') {
  const from = Math.min(...places.map((place) => place[axis] - place.r));
  const to = Math.max(...places.map((place) => place[axis] + place.r));
  return { middle: (from + to) / 2, length: to - from };
}

/** Finds the largest zoom that shows all points. Also returns the first tile, and the points in pixels of the grid. */
function layoutOf(points: readonly MapPoint[]) {
  const places = points.map(projected);
  const [across, down] = [span(places, 'x'), span(places, 'y')];
  const fitting = Math.floor(Math.log2(Math.min(room.x / across.length, room.y / down.length)));
  const zoom = Math.max(3, Math.min(CLOSEST, fitting));
  const scale = 2 ** zoom;
  const first = {
    x: Math.round((across.middle * scale) / TILE - COLUMNS / 2),
    y: Math.round((down.middle * scale) / TILE - ROWS / 2),
  };
  const inGrid = places.map(({ x, y, r }) => ({
    x: Math.round(x * scale - first.x * TILE),
    y: Math.round(y * scale - first.y * TILE),
    r: Math.round(r * scale),
  }));
  return { zoom, first, inGrid };
}

interface MapProps {
  /** URL template of a tile, with `{z}`, `{x}` and `{y}`. */
  tiles: string;
  points: readonly MapPoint[];
  label: Text;
}

/** Shows map tiles with a pin per point and a circle of its accuracy. Several points have numbers. */
export function TileMap({ tiles, points, label }: MapProps) {
  const say = useSay();
  const { zoom, first, inGrid } = layoutOf(points);
  const cells = Array.from({ length: COLUMNS * ROWS }, (_, at) => [
    first.x + (at % COLUMNS),
    first.y + Math.floor(at / COLUMNS),
  ]);
  return (
    <figure class="map">
      <div class="tiles">
        {cells.map(([x, y]) => (
          <img
            src={tiles.replace('{z}', String(zoom)).replace('{x}', String(x)).replace('{y}', String(y))}
            alt=""
            width={TILE}
            height={TILE}
            loading="lazy"
            referrerpolicy="origin"
          />
        ))}
        <svg viewBox={`0 0 ${COLUMNS * TILE} ${ROWS * TILE}`} role="img" aria-label={say(label)}>
          {inGrid.map(({ x, y, r }) => r > 0 && <circle class="accuracy" cx={x} cy={y} r={r} />)}
          <polyline points={inGrid.map(({ x, y }) => `${x},${y}`).join(' ')} />
          {inGrid.map(({ x, y }, at) => (
            <g>
              <circle cx={x} cy={y} r="13" />
              {points.length > 1 && (
                <text x={x} y={y + 5} text-anchor="middle">
                  {at + 1}
                </text>
              )}
            </g>
          ))}
        </svg>
      </div>
      <figcaption>
        © <a href={`${SERVICE}/copyright`}>{say(texts.credit)}</a>
      </figcaption>
    </figure>
  );
}
