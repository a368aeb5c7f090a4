import { measure, plainNumber } from '../../amounts.js';
import { factList } from '../../design/pieces.js';
import type { Form } from '../../forms.js';
import { faultText, priceTexts as texts } from '../../texts.js';
import { type Schemas, useVisit } from '../../visit.js';
import { Money, NumberText } from '../../written.js';

type Zones = Schemas['Zones'];
type ZonePrices = Schemas['ZonePrices'];

/** The texts in the cells of the editor. The last price of a row is for each further kg. */
interface Sheet {
  weights: string[];
  rows: { upToKm: string; express: string[]; economy: string[] }[];
}

/** The contract allows at most 20 weights and 20 rows. */
const MOST = 20;

/** The names of the cells of a row. A refusal of the operation names a cell by the same path. */
function cellNames(row: number, part: '' | '.economy', weights: number): string[] {
  const path = `zones.rows.${row}${part}`;
  return [...Array.from({ length: weights }, (_, at) => `${path}.prices.${at}`), `${path}.per_further_kg`];
}

/** Reads the cells of a form. Empty weights and rows are left out. */
function sheetIn(form: Form): Sheet {
  const numbers = Array.from({ length: MOST }, (_, at) => at);
  const columns = numbers.filter((at) => form.has(`zones.weights.${at}`));
  const kept = columns.filter((at) => form.optional(`zones.weights.${at}`) !== undefined);
  const pricesOf = (row: number, part: '' | '.economy') => {
    const texts = cellNames(row, part, columns.length).map((name) => form.text(name).trim());
    return [...kept.map((at) => texts[at] ?? ''), texts.at(-1) ?? ''];
  };
  const rows = numbers
    .filter((row) => form.has(`zones.rows.${row}.up_to_km`))
    .map((row) => ({
      upToKm: form.text(`zones.rows.${row}.up_to_km`).trim(),
      express: pricesOf(row, ''),
      economy: pricesOf(row, '.economy'),
    }));
  const isFilled = ({ upToKm, express, economy }: Sheet['rows'][number]) =>
    [upToKm, ...express, ...economy].some((text) => text !== '');
  return { weights: kept.map((at) => form.text(`zones.weights.${at}`).trim()), rows: rows.filter(isFilled) };
}

const GRAMS = 1_000;

/** Converts a weight: the contract uses grams, the editor kg. */
const kgOf = (grams: number): string => String(grams / GRAMS);

const sheetOf = ({ weights, rows }: Zones): Sheet => ({
  weights: weights.map(kgOf),
  rows: rows.map(({ up_to_km, economy, ...express }) => ({
    upToKm: String(up_to_km),
    express: [...express.prices, express.per_further_kg],
    economy: economy ? [...economy.prices, economy.per_further_kg] : [...weights.map(() => ''), ''],
  })),
});

/** Reads the prices of a row. A refusal names a cell by its path from `cellNames`. */
const pricesOf = (cells: readonly string[], path: string): ZonePrices => ({
  prices: cells.slice(0, -1).map((text, at) => plainNumber(text, `${path}.prices.${at}`)),
  per_further_kg: plainNumber(cells.at(-1) ?? '', `${path}.per_further_kg`),
});

const wholeOf = (text: string, path: string): number => Number(plainNumber(text, path));

/** Converts kg to grams. A text that is not a number becomes null in JSON, and the contract refuses it. */
const gramsOf = (text: string): number => Math.round(measure(text) * GRAMS);

/** Reads the zones of a form. Undefined if all cells of the rows are empty. */
export function zonesIn(form: Form): Zones | undefined {
  const { weights, rows } = sheetIn(form);
  const days = form.optional('zones.economy_days');
  if (rows.length === 0) return undefined;
  return {
    weights: weights.map(gramsOf),
    rows: rows.map(({ upToKm, express, economy }, row) => {
      const path = `zones.rows.${row}`;
      return {
        up_to_km: wholeOf(upToKm, `${path}.up_to_km`),
        ...pricesOf(express, path),
        ...(economy.some((text) => text !== '') && { economy: pricesOf(economy, `${path}.economy`) }),
      };
    }),
    ...(days !== undefined && { economy_days: Number(days) }),
  };
}

/** Lists the cells with their names, and adds one empty weight and one empty row. */
function cellsOf({ weights, rows }: Sheet) {
  const width = Math.min(weights.length + 1, MOST);
  const wide = (prices: readonly string[]) =>
    width > weights.length ? [...prices.slice(0, -1), '', prices.at(-1) ?? ''] : [...prices];
  const none = Array.from({ length: weights.length + 1 }, () => '');
  const more = rows.length < MOST ? [{ upToKm: '', express: none, economy: none }] : [];
  const cells = (row: number, part: '' | '.economy', prices: readonly string[]) =>
    cellNames(row, part, width).map((name, at) => ({ name, value: wide(prices)[at] ?? '' }));
  return {
    weights: Array.from({ length: width }, (_, at) => ({ name: `zones.weights.${at}`, value: weights[at] ?? '' })),
    rows: [...rows, ...more].map(({ upToKm, express, economy }, row) => ({
      upToKm: { name: `zones.rows.${row}.up_to_km`, value: upToKm },
      lines: [
        { text: texts.express, cells: cells(row, '', express) },
        { text: texts.economy, cells: cells(row, '.economy', economy) },
      ],
    })),
  };
}

/** The cells of a form as hidden fields, so that another form can send them again. */
export function zoneFields(form: Form): Record<string, string> {
  const { weights, rows } = cellsOf(sheetIn(form));
  const cells = [...weights, ...rows.flatMap(({ upToKm, lines }) => [upToKm, ...lines.flatMap((line) => line.cells)])];
  return Object.fromEntries(cells.map(({ name, value }) => [name, value]));
}

/** An editor for zones. It shows the stored zones, or a refused form with each error beside its cell. */
export function ZonesEditor({ stored }: { stored: Zones | undefined }) {
  const { form, refusal, say } = useVisit();
  const { weights, rows } = cellsOf(refusal ? sheetIn(form) : stored ? sheetOf(stored) : { weights: [], rows: [] });
  const bandText = (weight: string | undefined) => (weight === undefined ? say(texts.furtherKg) : `${weight} kg`);
  return (
    <details open={refusal !== undefined}>
      <summary>{say(texts.seeZones)}</summary>
      <p class="hint">{say(texts.zonesHint)}</p>
      <div class="scroll">
        <table class="zones">
          <caption>{say(texts.zones)}</caption>
          <thead>
            <tr>
              <th scope="col">{say(texts.up_to_km)}</th>
              <th scope="col">{say(texts.service)}</th>
              {weights.map((cell) => (
                <th scope="col">
                  <Cell {...cell} label={say(texts.weight)} />
                </th>
              ))}
              <th scope="col">{say(texts.furtherKg)}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ upToKm, lines }) =>
              lines.map(({ text, cells }, at) => (
                <tr>
                  <td>{at === 0 && <Cell {...upToKm} label={say(texts.up_to_km)} isWhole />}</td>
                  <th scope="row">{say(text)}</th>
                  {cells.map((cell, band) => (
                    <td>
                      <Cell {...cell} label={`${say(text)}, ${upToKm.value} km, ${bandText(weights[band]?.value)}`} />
                    </td>
                  ))}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </div>
    </details>
  );
}

interface SummedZones {
  weights: readonly number[];
  rows: readonly { up_to_km: number; prices: readonly string[]; economy?: { prices: readonly string[] } | undefined }[];
}

/** Sums up zones: number of zones, largest distance, largest weight, prices. */
export function ZonesSummary({ of }: { of: SummedZones | undefined }) {
  const { say } = useVisit();
  if (!of) return <p class="hint">{say(texts.noZones)}</p>;
  const prices = of.rows
    .flatMap(({ prices: express, economy }) => [...express, ...(economy?.prices ?? [])])
    .map(Number);
  return factList([
    [texts.zoneCount, of.rows.length],
    [texts.farthest, [<NumberText of={of.rows.at(-1)?.up_to_km ?? 0} />, ' km']],
    [texts.heaviest, [<NumberText of={(of.weights.at(-1) ?? 0) / GRAMS} />, ' kg']],
    [
      texts.fromTo,
      [Math.min(...prices), Math.max(...prices)].map((price, at) => [
        at > 0 && ' – ',
        <Money amount={String(price)} />,
      ]),
    ],
  ]);
}

function Cell({ name, value, label, isWhole }: Record<'name' | 'value' | 'label', string> & { isWhole?: boolean }) {
  const { refusal, say } = useVisit();
  const wrong = refusal?.details.find(({ field }) => field === name);
  const hintId = wrong && `${name}-hint`;
  return (
    <>
      <input
        name={name}
        value={value.replace('.', ',')}
        aria-label={label}
        inputMode={isWhole ? 'numeric' : 'decimal'}
        size={7}
        aria-invalid={wrong && true}
        aria-describedby={hintId}
      />
      {wrong && (
        <span class="hint bad" id={hintId}>
          {faultText(wrong, say)}
        </span>
      )}
    </>
  );
}
