import type { ComponentChildren } from 'preact';
import { type Text, todayTexts as texts } from '../texts.js';
import { NumberText, Say, useSay } from '../written.js';
import type { Column } from './tables.js';

// Draws plots as SVG with axes and values. A table next to each plot says the same, for screen readers.

/** Sizes in units of the drawing. */
const WIDTH = 340;
const HEIGHT = 150;
const LEFT = 40;
const RIGHT = 10;
const TOP = 12;
const BOTTOM = 20;
const INNER = HEIGHT - TOP - BOTTOM;

/** The end of the axis: the smallest 1, 2 or 5 times a power of ten that is at least the value and at least 2. */
function axisEnd(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, value)));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= Math.max(2, value)) ?? value;
}

interface Bar {
  /** Text under the axis. */
  label: string;
  /** Undefined if nothing was measured. */
  value: number | undefined;
}

interface PlotProps {
  name: Text;
  bars: readonly Bar[];
  unit?: string;
  /** The end of the axis. The default follows from the values. */
  full?: number;
}

/** Draws one bar per value. Only the largest and the last bar show their values. */
export function Plot({ name, bars, unit = '', full }: PlotProps) {
  const values = bars.map(({ value = 0 }) => value);
  const largest = Math.max(0, ...values);
  const highest = largest > 0 ? values.indexOf(largest) : -1;
  const end = full ?? axisEnd(largest);
  const step = (WIDTH - LEFT - RIGHT) / Math.max(1, bars.length);
  const barWidth = Math.round(step * 0.7);
  const heightOf = (value: number) => Math.round((INNER * value) / end);
  const every = Math.ceil(bars.length / 5);
  return (
    <figure class="card plot">
      <figcaption>
        <Say text={name} />
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true" focusable="false">
        {[0, end / 2, end].map((tick) => (
          <g class="axis">
            <line x1={LEFT} x2={WIDTH} y1={TOP + INNER - heightOf(tick)} y2={TOP + INNER - heightOf(tick)} />
            <text x={LEFT - 6} y={TOP + INNER - heightOf(tick) + 4} text-anchor="end">
              <NumberText of={tick} />
              {unit}
            </text>
          </g>
        ))}
        {bars.map(({ label, value }, at) => {
          const [x, height] = [Math.round(LEFT + (at + 0.15) * step), heightOf(value ?? 0)];
          const middle = x + barWidth / 2;
          const isNamed = (bars.length - 1 - at) % every === 0;
          return (
            <g>
              <rect x={x} y={TOP + INNER - height} width={barWidth} height={height} rx="2" />
              {isNamed && (
                <text x={middle} y={HEIGHT - 5} text-anchor="middle">
                  {label}
                </text>
              )}
              {value !== undefined && (at === bars.length - 1 || at === highest) && (
                <text class="value" x={middle} y={TOP + INNER - height - 4} text-anchor="middle">
                  <NumberText of={value} />
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

interface Compared {
  today: number;
  yesterday: number;
}

const BAR_WIDTH = 120;

/** Columns of a table of counts: a bar for today (and yesterday), then both numbers. */
export function barColumns<Row extends Compared>(rows: readonly Row[]): readonly Column<Row>[] {
  const end = Math.max(1, ...rows.flatMap(({ today, yesterday }) => [today, yesterday]));
  const widthOf = (count: number) => Math.round((BAR_WIDTH * count) / end);
  return [
    [
      texts.share,
      ({ today, yesterday }) => (
        <svg class="bar-of" viewBox={`0 0 ${BAR_WIDTH} 14`} aria-hidden="true" focusable="false">
          <rect width={widthOf(today)} height="8" rx="2" />
          <rect class="before" y="10" width={widthOf(yesterday)} height="3" rx="1.5" />
        </svg>
      ),
    ],
    ...dayColumns,
  ];
}

const dayColumns: readonly Column<Compared>[] = [
  [texts.today, ({ today }) => <NumberText of={today} />, 'number'],
  [texts.yesterday, ({ yesterday }) => <NumberText of={yesterday} />, 'number'],
];

/** Shows a count of today, with the count of yesterday next to it. */
export function Beside({ today, yesterday }: Compared): ComponentChildren {
  const say = useSay();
  return (
    <span>
      <NumberText of={today} />{' '}
      <small>
        <span class="visually-hidden">{say(texts.onYesterday)} </span>(<NumberText of={yesterday} />)
      </small>
    </span>
  );
}
