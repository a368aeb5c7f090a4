import { placesOf } from '../../../files/area-rows.js';
import { Field } from '../../design/forms.js';
import { type Column, Listing, pageQuery } from '../../design/tables.js';
import { municipalityOfCode } from '../../facts.js';
import { placeText } from '../../shared/words.js';
import { postalCodeText, areaTexts as texts, valueWords } from '../../texts.js';
import { asked, type Schemas, useVisit } from '../../visit.js';
import { NumberText, Say, Word } from '../../written.js';

type Area = Schemas['ServiceArea'];

/** One line of the file: a place of an area. */
interface Line {
  /** The line number in a spreadsheet. Line 1 has the names of the columns. */
  number: number;
  area: Area;
  place: ReturnType<typeof placesOf>[number];
}

export const linesOf = (areas: readonly Area[]): Line[] =>
  areas
    .flatMap((area) => placesOf(area).map((place) => ({ area, place })))
    .map((line, at) => ({ number: at + 2, ...line }));

function textOf({ state, municipality, postal_code_from: from = '', postal_code_to: to = '' }: Line['place']): string {
  if (state !== undefined) return state;
  if (municipality === undefined) return `${postalCodeText(from)} – ${postalCodeText(to)}`;
  const { name = '', state: of = '' } = municipalityOfCode(Number(municipality)) ?? {};
  return `${placeText({ city: name, state: of })} (${municipality})`;
}

/** The text without accents, in small letters. */
const folded = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** The lines whose area or place contains the text. */
export function linesNamed(lines: readonly Line[], words: string): readonly Line[] {
  if (words === '') return lines;
  const key = folded(words);
  return lines.filter(({ area, place }) => folded(`${area.name} ${textOf(place)}`).includes(key));
}

/**
 * The lines that cover a CEP of a municipality. Ranges come first, then municipalities, then states; the first line
 * decides.
 */
export function decidingLines(
  lines: readonly Line[],
  postalCode: string,
  { city, state }: { city?: string; state?: string } = {},
): Line[] {
  const inRange = ({ place: { postal_code_from: from, postal_code_to: to } }: Line) =>
    from !== undefined && to !== undefined && from <= postalCode && postalCode <= to;
  const ofMunicipality = ({ place: { municipality } }: Line) => {
    const named = municipality === undefined ? undefined : municipalityOfCode(Number(municipality));
    return named !== undefined && named.name === city && named.state === state;
  };
  const ofState = ({ place }: Line) => place.state !== undefined && place.state === state;
  return [inRange, ofMunicipality, ofState].flatMap((holds) => lines.filter(holds));
}

const PAGE_LINES = 50;

/** Shows the lines page by page, with a form that searches them. */
export function AreaTable({ lines }: { lines: readonly Line[] }) {
  const visit = useVisit();
  const { page = 1 } = pageQuery(visit);
  const from = (page - 1) * PAGE_LINES;
  const pagination = {
    ...{ page, page_size: PAGE_LINES, total_items: lines.length },
    total_pages: Math.ceil(lines.length / PAGE_LINES),
  };
  const list = { data: lines.slice(from, from + PAGE_LINES), pagination };
  const filters = (
    <Field name="place" type="search" label={texts.search} value={asked(visit, 'place')} hint={texts.searchHint} />
  );
  return <Listing caption={texts.areas} columns={lineColumns} empty={texts.noLine} {...{ list, filters }} />;
}

const lineColumns: readonly Column<Line>[] = [
  [texts.line, ({ number }) => <NumberText of={number} />, 'number'],
  [texts.name, ({ area }) => area.name],
  [texts.place, ({ place }) => textOf(place)],
  [texts.collects, ({ area }) => <Say text={area.collects ? texts.yes : texts.no} />],
  [texts.delivers, ({ area }) => <Say text={area.delivers ? texts.yes : texts.no} />],
  [texts.services, ({ area }) => <Words kind="services" values={area.services} />],
  [texts.weekdays, ({ area }) => <Weekdays days={area.weekdays} />],
  [texts.extra_workdays, ({ area }) => <NumberText of={area.extra_workdays} />, 'number'],
];

const Words = ({ kind, values }: { kind: 'services' | 'weekdays'; values: readonly string[] }) =>
  values.map((value, at) => [at > 0 && ', ', <Word of={valueWords[kind]} value={value} />]);

const DAYS_OF_WEEK = 7;

const Weekdays = ({ days }: { days: readonly string[] }) =>
  days.length === DAYS_OF_WEEK ? <Say text={texts.everyDay} /> : <Words kind="weekdays" values={days} />;
