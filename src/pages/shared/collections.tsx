import { Chip, type Fact } from '../design/pieces.js';
import type { Column } from '../design/tables.js';
import { collectionTexts as texts, valueWords } from '../texts.js';
import { type RestSchemas, useVisit } from '../visit.js';
import { NumberText, Time, Word } from '../written.js';
import { placeText } from './words.js';

// Shows collection lists to operators and shippers.

export const collectionStates = ['open', 'received', 'cancelled'] as const;

type List = RestSchemas['CollectionRecord'];

const colours: Partial<Readonly<Record<string, string>>> = {
  open: 'created',
  received: 'completed',
  cancelled: 'cancelled',
};

function CollectionChip({ state }: Pick<List, 'state'>) {
  const name = valueWords.collectionStates[state];
  return <Chip stage={colours[state]} text={name ? useVisit().say(name) : state} />;
}

export const stateOptions = [
  ['', texts.every],
  ...collectionStates.map((state) => [state, valueWords.collectionStates[state] ?? state] as const),
] as const;

export const collectionColumns: readonly Column<List>[] = [
  [texts.status, ({ state }) => <CollectionChip state={state} />],
  [texts.packages, ({ package_count: count }) => <NumberText of={count} />, 'number'],
  [texts.collected, ({ receipt }) => receipt && <NumberText of={receipt.collected} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

/** Facts about a list and its receipt. */
export const collectionFacts = ({ receipt, ...list }: List): readonly Fact[] => [
  [texts.status, <CollectionChip state={list.state} />],
  [texts.packages, <NumberText of={list.package_count} />],
  [texts.created, <Time at={list.created_at} />],
  [texts.cancelledAt, list.cancelled_at && <Time at={list.cancelled_at} />],
  [texts.receivedAt, receipt && <Time at={receipt.happened_at} />],
  [texts.location, placeText(receipt?.location)],
  [texts.collected, receipt && <NumberText of={receipt.collected} />],
  [texts.missing, receipt && <NumberText of={receipt.missing} />],
  [texts.refused, receipt && receipt.refused > 0 && <NumberText of={receipt.refused} />],
  [texts.extraCodes, receipt?.extra_codes.join(', ')],
];

type Listed = RestSchemas['ListedPackage'];

/** The columns for the packages of a list. `home` is the root of the pages they link to. */
export const listedColumns = (home: '/envios' | '/console'): readonly Column<Listed>[] => [
  [texts.package, ({ loggi_key: key, tracking_code: code }) => <a href={`${home}/packages/${key}`}>{code}</a>],
  [texts.reference, ({ reference }) => reference],
  [texts.location, placeText],
  [texts.outcome, ({ outcome }) => <Word of={valueWords.listedOutcomes} value={outcome} />],
];
