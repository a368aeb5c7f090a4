import { Chip, type LinkProps, stageOf, TextLink } from '../design/pieces.js';
import { postalCodeText, statusNames, type Text, packageTexts as texts, valueWords } from '../texts.js';
import { type Bare, type RestSchemas, useVisit } from '../visit.js';
import { DateText, dayInSaoPaulo, Metres, Say, Time, Word } from '../written.js';

// Says facts about orders and packages in words, for operators and shippers.

/** Stages of an order. */
export const orderStages = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;

export const placeText = (place: { city: string; state: string } | null | undefined): string | undefined =>
  place ? `${place.city} – ${place.state}` : undefined;

export const addressText = ({ address, complement }: RestSchemas['Address']): string =>
  [address, complement].filter(Boolean).join(', ');

type Status = Pick<RestSchemas['PackageStatus'], 'code' | 'high_level_status' | 'public_title'>;

/** The title of a status: from the catalogue, else the usual title, else the status name. */
export const statusTitle = ({ say }: Pick<Bare, 'say'>, status: Status): string => {
  const { code, high_level_status: name, public_title: title } = status;
  if (title) return say({ 'pt-BR': title.pt_br, en: title.en });
  const usual = statusNames[code];
  return usual ? say(usual) : name;
};

export const YesNo = ({ is }: { is: boolean }) => <Say text={is ? texts.yes : texts.no} />;

export const StatusChip = ({ status }: { status: Status & Parameters<typeof stageOf>[0] }) => (
  <Chip stage={stageOf(status)} text={statusTitle(useVisit(), status)} />
);

export function OrderChip({ status }: { status: string }) {
  const name = valueWords.stages[status];
  return <Chip stage={status} text={name ? useVisit().say(name) : status} />;
}

type Promise = Pick<RestSchemas['OrderPackage'], 'promised_date' | 'deliver_from' | 'deliver_by' | 'status'>;

/**
 * True if the package should have been delivered before today in São Paulo. Lists of late packages use the same rule.
 */
const isLate = ({ promised_date: date, status: { final, stage } }: Promise, now: Date): boolean =>
  date < dayInSaoPaulo(now) && !final && stage !== 'completed' && stage !== 'cancelled';

/** Shows the promised day, a mark if it has passed, and the days that the shipper wishes. */
export function Promised(promise: Promise) {
  const { promised_date: date, deliver_from: from, deliver_by: by } = promise;
  const { say, now } = useVisit();
  const wish = (text: Text, day: string | undefined) =>
    day !== undefined && <span class="hint">{[` ${say(text)} `, <DateText at={day} />]}</span>;
  const mark = isLate(promise, now) && [' ', <Chip stage="problem" text={say(texts.isLate)} />];
  return [<DateText at={date} />, mark, wish(texts.deliver_from, from), wish(texts.deliver_by, by)];
}

/** Shows when a key was revoked, or a link that revokes it. */
export const Revoked = ({ at, ...link }: { at?: string | null | undefined } & Omit<LinkProps, 'text'>) =>
  at ? <Time at={at} /> : <TextLink {...link} text={texts.revoke} />;

/** Says where an address was located, and how exactly: “Consolação, São Paulo – SP, 01310-200 (no número, ± 120 m)”. */
export function Placed({ place, street }: { place: RestSchemas['ResolvedAddress']; street?: string | undefined }) {
  const { district, postal_code: code, precision, accuracy_metres: metres } = place;
  const where = [district, placeText(place), code && postalCodeText(code)].filter(Boolean).join(', ');
  const around = metres !== undefined && [', ± ', <Metres of={metres} />];
  return (
    <span>
      {street && <span class="street-read">{`${street}, `}</span>}
      {`${where} `}
      <span class="hint">{['(', <Word of={valueWords.precisions} value={precision} />, around, ')']}</span>
    </span>
  );
}

export const senderText = (sender: { name: string; phone?: string } | undefined): string | undefined =>
  sender && [sender.name, sender.phone].filter(Boolean).join(', ');

/** Shows the account's own metadata of an order, each entry under its key. */
export const factsOf = (metadata: Readonly<Record<string, string>> | undefined) =>
  Object.entries(metadata ?? {}).map(([key, value]) => [{ 'pt-BR': key, en: key }, value] as const);
