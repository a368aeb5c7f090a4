import type { ComponentChildren } from 'preact';
import { visitsBefore, visitWindow } from '../../orders/next-visit.js';
import type { Expected } from '../../packages/attempts.js';
import { OFF_THE_WAY } from '../../packages/catalogue.js';
import { DELIVERED, type Location } from '../../packages/movement.js';
import type { PublicEvent, PublicTracking } from '../../packages/public-tracking.js';
import { nameKey } from '../../routing/address/words.js';
import { usualAccuracy } from '../../routing/places/accuracy.js';
import { municipalityNamed } from '../../routing/places/municipalities.js';
import { Skip, TopBar } from '../design/frame.js';
import { MapLink, TileMap } from '../design/map.js';
import { factList, stageOf, Timeline, type TimelineEntry } from '../design/pieces.js';
import { Document } from '../page.js';
import type { Language, Text } from '../texts.js';
import { attemptTexts, filled, mapTexts, statusTexts, stepTexts, trackingTexts as texts } from '../texts.js';
import { dayText, hourText, LocalTime, localDate, useLanguage, useSay } from '../written.js';
import { Advice, Help, Proof, placeText } from './advice.js';
import { Shop, themePath } from './brand.js';

interface Props {
  tracking: PublicTracking;
  now: Date;
}

type PageProps = Props & { language: Language; token: string; picture: string; tiles: string | undefined };

/** The page of a package. `assets/tracking.js` replaces the parts with an id. `data-state` is the shown state. */
export function TrackingPage({ tracking, language, now, token, picture, tiles }: PageProps) {
  const { trackingCode: code, history, seq, own } = tracking;
  const say = (text: Text) => text[language];
  const { title: status, text, foreign } = wordsOf(history[0], language);
  const title = filled(say(texts.title), { code, status });
  return (
    <Document
      {...{ language, title, picture }}
      scripts={['tracking.js']}
      theme={own?.brand?.color ? themePath(own.brand.color) : undefined}
      description={say(texts.description)}
      isPrivate
    >
      <Skip to="main" />
      <TopBar />
      <main id="main" class="page" data-state={String(seq)}>
        <Shop own={own} token={token} />
        <div id="now" aria-live="polite" aria-atomic="true">
          <h1 lang={foreign}>{status}</h1>
          <When tracking={tracking} now={now} />
          <AttemptsBefore tracking={tracking} now={now} />
          <p class="lead" lang={foreign}>
            {text}
          </p>
        </div>
        <div id="more">
          <Steps {...tracking} />
          {own && <Advice {...own} code={code} />}
          {own && <Proof {...own} photo={`${token}/photo`} />}
          <Details {...{ tracking, tiles }} />
          {own && <Help {...own} code={code} />}
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

/** Shows when the package was delivered, or the day and hours of the planned delivery. */
function When({ tracking, now }: Props) {
  const { history, destination, promisedDate, deliverFrom, own } = tracking;
  const [say, language] = [useSay(), useLanguage()];
  const [{ code, happenedAt: at }] = history;
  if (code === DELIVERED)
    return <Headline label={say(texts.delivered)} text={<LocalTime at={at} place={destination} />} />;
  const window = own ? visitWindow(own, destination, now) : undefined;
  if (own?.expected && window && isUnderWay(tracking))
    return <Headline label={say(texts.promise)} text={hoursText(window, destination, { now, language })} />;
  if (!isPromised(tracking)) return null;
  const nextOn = own && visitsBefore(own, destination, now)?.nextOn;
  // The first attempt has failed, so the promised day is replaced by the day of the next attempt.
  if (nextOn && nextOn > promisedDate)
    return <Headline label={say(texts.promise)} text={dayText(nextOn, destination, { now, language })} />;
  const day = dayText(promisedDate, destination, { now, language });
  if (promisedDate < localDate(now, destination))
    return <Headline label={say(texts.wasPromised)} text={day} note={say(texts.late)} />;
  const [from, to] = [window?.from, window?.to].map((time) => time && hourText(time, destination, language));
  const text = from === undefined || to === undefined ? day : filled(say(texts.between), { day, from, to });
  const isAgreed = deliverFrom !== null && deliverFrom > localDate(now, destination);
  const wish = isAgreed && dayText(deliverFrom, destination, { now, language });
  return [
    <Headline label={say(texts.promise)} text={text} />,
    wish && <p>{filled(say(texts.notBefore), { day: wish })}</p>,
  ];
}

/** Writes the hours that the carrier gave, with their day. If they end on another day, writes both days. */
function hoursText({ from, to }: Expected, place: Location, context: { now: Date; language: Language }): string {
  const { language } = context;
  const [day, lastDay] = [from, to].map((time) => dayText(localDate(time, place), place, context));
  const hours = { from: hourText(from, place, language), to: hourText(to, place, language) };
  const text = day === lastDay ? texts.between : texts.betweenDays;
  return filled(text[language], { day: day ?? '', lastDay: lastDay ?? '', ...hours });
}

/** Says the outcome of the last failed attempt, and the day of the next one. */
function AttemptsBefore({ tracking: { own, destination }, now }: Props) {
  const [say, language] = [useSay(), useLanguage()];
  const attempts = own && visitsBefore(own, destination, now);
  if (!attempts) return null;
  const { count, lastOutcome, nextOn } = attempts;
  const outcome = attemptTexts[lastOutcome]?.[language];
  const last =
    outcome === undefined ? say(texts.notAttempted) : filled(say(texts.attempt), { number: `${count}`, outcome });
  const day = nextOn !== null && dayText(nextOn, destination, { now, language });
  return <p class="attempts">{day ? `${last} ${filled(say(texts.nextAttempt), { day })}` : last}</p>;
}

const Headline = ({ label, text, note }: { label: string; text: ComponentChildren; note?: string }) => [
  <p class="when">
    {label} <strong>{text}</strong>
  </p>,
  note !== undefined && <p class="late">{note}</p>,
];

/**
 * The words for a status. A status that an operator added has only a Portuguese description; `foreign` then marks its
 * language.
 */
function wordsOf({ code, name, title, description, isReopening }: PublicEvent, language: Language) {
  const word = title?.[language === 'en' ? 'en' : 'pt_br'];
  const text = isReopening ? texts.reopened[language] : statusTexts[code]?.[language];
  if (word !== undefined && text !== undefined) return { title: word, text };
  return { title: word ?? name, text: text ?? description, ...(language !== 'pt-BR' && { foreign: 'pt-BR' }) };
}

/** Shows the steps to the recipient. Left out if the package no longer goes there. */
function Steps(tracking: PublicTracking) {
  const say = useSay();
  const { code } = tracking.history[0];
  if (OFF_THE_WAY.has(code) || (!isUnderWay(tracking) && code !== DELIVERED)) return null;
  const stages = Object.keys(stepTexts);
  const stage = furthestStage(tracking, stages);
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

/** The furthest stage so far: a package that returns to a base keeps its steps. Only a reopening resets them. */
function furthestStage({ stage, history }: PublicTracking, stages: readonly string[]): string {
  const end = history.findIndex(({ isReopening }) => isReopening);
  const since = end < 0 ? history : history.slice(0, end + 1);
  const furthest = Math.max(stages.indexOf(stage), ...since.map((event) => stages.indexOf(event.stage)));
  return stages[furthest] ?? stage;
}

function Details({ tracking, tiles }: Pick<PageProps, 'tracking' | 'tiles'>) {
  const say = useSay();
  const { destination, trackingCode, own } = tracking;
  const place = placeOf(tracking);
  const seat = place && municipalityNamed(nameKey(place.city), place.state)?.seat;
  return (
    <section class="card" aria-labelledby="details">
      <h2 id="details">{say(texts.details)}</h2>
      {factList([
        [texts.place, place && <MapLink place={placeText(place)} text={placeText(place)} />],
        [texts.destination, placeText(destination)],
        [texts.sender, own?.senderName],
        [texts.recipient, own?.recipientInitials],
        [texts.code, <span class="code">{trackingCode}</span>],
      ])}
      {tiles && seat && (
        <TileMap tiles={tiles} label={mapTexts.place} points={[{ ...seat, accuracyMetres: usualAccuracy.city }]} />
      )}
    </section>
  );
}

/** True if the promised date still holds: the package is under way to the recipient and does not wait. */
const isPromised = (tracking: PublicTracking): boolean =>
  isUnderWay(tracking) && !tracking.isWaiting && !OFF_THE_WAY.has(tracking.history[0].code);

const isUnderWay = ({ stage }: PublicTracking): boolean => stage !== 'completed' && stage !== 'cancelled';

/** The place where a package under way was last seen. Some movements have no place. */
function placeOf(tracking: PublicTracking): Location | null | undefined {
  if (!isUnderWay(tracking)) return null;
  return tracking.own?.pickupAgency ?? tracking.history.find(({ location }) => location)?.location;
}

function History({ history, destination, stage }: PublicTracking) {
  const say = useSay();
  const language = useLanguage();
  const entryOf = (event: PublicEvent, index: number): TimelineEntry => {
    const { title, foreign } = wordsOf(event, language);
    return {
      title: <span lang={foreign}>{title}</span>,
      at: <LocalTime at={event.happenedAt} place={destination} />,
      stage: index === 0 ? stageOf({ code: event.code, stage }) : undefined,
      children: [event.location && placeText(event.location), event.isReopening && say(texts.correction)]
        .filter(Boolean)
        .map((remark) => ` · ${remark}`),
    };
  };
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{say(texts.history)}</h2>
      <Timeline entries={history.map(entryOf)} />
      <p class="small">{filled(say(texts.zone), { city: destination.city })}</p>
    </section>
  );
}
