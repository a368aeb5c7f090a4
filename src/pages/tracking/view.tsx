import type { ComponentChildren } from 'preact';
import { OFF_THE_WAY } from '../../packages/catalogue.js';
import { DELIVERED, type Location, type PickupAgency } from '../../packages/movement.js';
import type { OwnTracking, PublicEvent, PublicTracking } from '../../packages/public-tracking.js';
import { nameKey } from '../../routing/address/words.js';
import { dayOf } from '../../routing/calendar.js';
import { usualAccuracy } from '../../routing/places/accuracy.js';
import { municipalityNamed } from '../../routing/places/municipalities.js';
import { MapLink, stageOf, TileMap, Timeline, type TimelineEntry, TopBar } from '../design/index.js';
import type { Language, Text } from '../language.js';
import { Document, useLanguage, useSay } from '../page.js';
import { mapTexts, statusTexts, statusTitles, stepTexts, trackingTexts as texts } from '../texts.js';
import { Day } from '../times.js';

interface Props {
  tracking: PublicTracking;
  now: Date;
  /** Address of a map's tiles. */
  tiles: string | undefined;
}

/** The page of a package. `assets/tracking.js` replaces the parts with an id; `data-state` is the shown state. */
export function TrackingPage({ tracking, language, now, tiles }: Props & { language: Language }) {
  const { trackingCode: code, history, seq, own } = tracking;
  const say = (text: Text) => text[language];
  const title = filled(say(texts.title), { code, status: wordsOf(history[0], language).title });
  return (
    <Document {...{ language, title }} scripts={['tracking.js']} description={say(texts.description)} isPrivate>
      <a class="skip" href="#main">
        {say(texts.toContent)}
      </a>
      <TopBar />
      <main id="main" class="page" data-state={String(seq)}>
        <div id="now" aria-live="polite" aria-atomic="true">
          <Now {...tracking} />
        </div>
        <div id="more">
          <Steps {...tracking} />
          {own && <Advice {...own} code={code} />}
          <Details {...{ tracking, now, tiles }} />
          <History {...tracking} />
        </div>
      </main>
      <footer class="foot page">
        <p id="live" hidden>
          {say(texts.live)}
        </p>
        <p id="reload">{say(texts.reload)}</p>
        <p>{say(own ? texts.secret : texts.forAll)}</p>
      </footer>
    </Document>
  );
}

function Now({ history }: PublicTracking) {
  const { title, text, foreign } = wordsOf(history[0], useLanguage());
  return (
    <>
      <h1 lang={foreign}>{title}</h1>
      <p class="lead" lang={foreign}>
        {text}
      </p>
    </>
  );
}

/** A status that an operator added has the catalogue's words, in Portuguese; `foreign` says so in another language. */
function wordsOf({ code, name, description }: PublicEvent, language: Language) {
  const [title, text] = [statusTitles[code]?.[language], statusTexts[code]?.[language]];
  if (title !== undefined && text !== undefined) return { title, text };
  return { title: name, text: description, ...(language !== 'pt-BR' && { foreign: 'pt-BR' }) };
}

/** The steps to the recipient, unless the package's way ended elsewhere or leads there no more. */
function Steps(tracking: PublicTracking) {
  const say = useSay();
  const { stage, history } = tracking;
  const { code } = history[0];
  if (OFF_THE_WAY.has(code) || (!isUnderWay(tracking) && code !== DELIVERED)) return null;
  const stages = Object.keys(stepTexts);
  return (
    <ol class={`steps ${stage}`} aria-label={say(texts.steps)}>
      {Object.entries(stepTexts).map(([step, text], at) => (
        <li class={at <= stages.indexOf(stage) ? 'done' : undefined} aria-current={step === stage ? 'step' : undefined}>
          {say(text)}
        </li>
      ))}
    </ol>
  );
}

function Advice({ pickupAgency, reasonLabel, senderName, code }: OwnTracking & { code: string }) {
  const say = useSay();
  if (!pickupAgency && reasonLabel === null) return null;
  const sender = senderName ?? say(texts.theSender);
  return (
    <section class="card advice" aria-labelledby="advice">
      <h2 id="advice">{say(texts.whatToDo)}</h2>
      {reasonLabel !== null && (
        <>
          <p>
            {say(texts.reason)} <strong>{reasonLabel}</strong>
          </p>
          <p>{filled(say(texts.askSender), { sender, code })}</p>
        </>
      )}
      {pickupAgency && <Agency agency={pickupAgency} code={code} />}
    </section>
  );
}

function Agency({ agency, code }: { agency: PickupAgency; code: string }) {
  const say = useSay();
  return (
    <>
      <p>{filled(say(texts.pickUp), { code })}</p>
      <address>
        <MapLink place={`${agency.address}, ${placeText(agency)}`} text={agency.address} />
        <br />
        {placeText(agency)}
        <br />
        {say(texts.postalCode)} {agency.postalCode.replace(/^(\d{5})(\d{3})$/, '$1-$2')}
      </address>
    </>
  );
}

function Details({ tracking, now, tiles }: Props) {
  const say = useSay();
  const { promisedDate, destination, trackingCode, history, isWaiting, own } = tracking;
  const place = placeOf(tracking);
  // The promised date says nothing of a package that stands, goes back or waits for its recipient.
  const isPromised = isUnderWay(tracking) && !isWaiting && !OFF_THE_WAY.has(history[0].code);
  const all: [name: string, value: ComponentChildren][] = [
    [say(texts.promise), isPromised && <Day at={promisedDate} />],
    [say(texts.place), place && <MapLink place={placeText(place)} text={placeText(place)} />],
    [say(texts.destination), placeText(destination)],
    [say(texts.sender), own?.senderName],
    [say(texts.recipient), own?.recipientInitials],
    [say(texts.code), <span class="code">{trackingCode}</span>],
  ];
  const seat = place && municipalityNamed(nameKey(place.city), place.state)?.seat;
  const details = all.filter(([, value]) => value !== false && value !== null && value !== undefined);
  return (
    <section class="card" aria-labelledby="details">
      <h2 id="details">{say(texts.details)}</h2>
      {isPromised && promisedDate < dayOf(now.getTime()).date && <p class="late">{say(texts.late)}</p>}
      <dl class="facts">
        {details.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {tiles && seat && (
        <TileMap tiles={tiles} label={mapTexts.place} points={[{ ...seat, accuracyMetres: usualAccuracy.city }]} />
      )}
    </section>
  );
}

const isUnderWay = ({ stage }: PublicTracking): boolean => stage !== 'completed' && stage !== 'cancelled';

/** The place where a package under way was seen last; not every movement has one. */
function placeOf(tracking: PublicTracking): Location | null | undefined {
  if (!isUnderWay(tracking)) return null;
  return tracking.own?.pickupAgency ?? tracking.history.find(({ location }) => location)?.location;
}

function History({ history, stage }: PublicTracking) {
  const say = useSay();
  const language = useLanguage();
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{say(texts.history)}</h2>
      <Timeline entries={history.map((event, at) => entryOf(event, language, at === 0 ? stage : undefined))} />
      <p class="small">{say(texts.zone)}</p>
    </section>
  );
}

function entryOf(event: PublicEvent, language: Language, stage: string | undefined): TimelineEntry {
  const { title, foreign } = wordsOf(event, language);
  const { happenedAt, location } = event;
  return {
    title: <span lang={foreign}>{title}</span>,
    at: happenedAt.toISOString(),
    stage: stage && stageOf({ code: event.code, stage }),
    children: location && ` · ${placeText(location)}`,
  };
}

const placeText = ({ city, state }: Location): string => `${city} – ${state}`;

/** The text with its values in the places of their names. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
