import type { components } from '../../../../generated/rest.js';
import { useVisit } from '../../design/index.js';
import { packageTexts as texts } from '../../texts.js';

type RestSchemas = components['schemas'];

/** A stop of the route: a pickup, or the delivery of a package. */
export interface Stop {
  package?: RestSchemas['OrderPackage'];
  address: RestSchemas['Address'];
  place: RestSchemas['ResolvedAddress'];
  waypoint: RestSchemas['Waypoint'];
}

interface Point {
  x: number;
  y: number;
}

// Mercator's projection of that picture, fitted to the seats of all municipalities: 98 % lie in their own state.
const unitsOfADegree = { x: 15.612, y: -15.51 };
const origin = { x: 1155.4, y: 82.1 };
const picture = { width: 613, height: 639 };
/** So that the borders of a state or two are in view. */
const SMALLEST_VIEW = 40;
const MARGIN = 1.3;

const RADIANS = Math.PI / 180;

function pointOf({ latitude, longitude }: { latitude: number; longitude: number }): Point {
  const mercator = Math.log(Math.tan(Math.PI / 4 + (latitude * RADIANS) / 2)) / RADIANS;
  return { x: unitsOfADegree.x * longitude + origin.x, y: unitsOfADegree.y * mercator + origin.y };
}

function viewOf(points: readonly Point[]): Point & { size: number } {
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const size = Math.max(SMALLEST_VIEW, MARGIN * (right - left), MARGIN * (bottom - top));
  return { x: (left + right - size) / 2, y: (top + bottom - size) / 2, size };
}

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** The route over the outline of the states; the table of its stops says the same in words. */
export function RouteMap({ stops }: { stops: readonly Stop[] }) {
  const { say } = useVisit();
  const points = stops.map(({ place }) => pointOf(place));
  const { x, y, size } = viewOf(points);
  const line = points.map((point) => `${rounded(point.x)},${rounded(point.y)}`).join(' ');
  const dot = size / 50;
  return (
    <figure class="map">
      <svg viewBox={[x, y, size, size].map(rounded).join(' ')} role="img" aria-label={say(texts.map)}>
        <image href="/assets/brazil.svg" {...picture} />
        <polyline points={line} class="leg" stroke-width={rounded(dot / 4)} />
        {points.map((point, at) => (
          <g class={stops[at]?.package ? 'delivery' : 'pickup'}>
            <circle cx={rounded(point.x)} cy={rounded(point.y)} r={rounded(dot)} />
            <text
              x={rounded(point.x)}
              y={rounded(point.y + dot / 2)}
              font-size={rounded(dot * 1.3)}
              text-anchor="middle"
            >
              {at + 1}
            </text>
          </g>
        ))}
      </svg>
      <figcaption>
        {say(texts.credit)}{' '}
        <a href="https://github.com/VictorCazanave/svg-maps" rel="noreferrer">
          svg-maps, Victor Cazanave
        </a>
        , CC BY 4.0
      </figcaption>
    </figure>
  );
}
