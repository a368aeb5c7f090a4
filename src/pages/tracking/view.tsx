import type { ComponentChildren } from 'preact';
import type { Location, PickupAgency } from '../../packages/movement.js';
import type { PublicEvent, PublicTracking } from '../../packages/public-tracking.js';
import { dayOf } from '../../routing/calendar.js';
import type { Language, Text } from '../language.js';
import { Document } from '../page.js';
import { dayText, timeText } from '../times.js';
import { statusTexts, stepTexts, texts } from './texts.js';

interface Props {
  tracking: PublicTracking;
  language: Language;
}

/** The page of a package. What `assets/tracking.js` replaces has an id; `data-state` says what it shows. */
export function TrackingPage({ tracking, language, now }: Props & { now: Date }) {
  const { trackingCode: code, history, seq } = tracking;
  const [current] = history;
  const say = (text: Text) => text[language];
  const title = filled(say(texts.title), { code, status: wordsOf(current, language).title });
  const other = language === 'en' ? 'pt-BR' : 'en';
  return (
    <Document language={language} title={title} styles={['tracking.css']} scripts={['tracking.js']}>
      <a class="skip" href="#main">
        {say(texts.toContent)}
      </a>
      <header class="top">
        <p>{say(texts.brand)}</p>
        <nav aria-label={say(texts.language)}>
          <a href={`?lang=${other}`} hreflang={other} lang={other}>
            {say(texts.otherLanguage)}
          </a>
        </nav>
      </header>
      <main id="main" data-state={String(seq)}>
        <div id="now" aria-live="polite" aria-atomic="true">
          <Now tracking={tracking} language={language} />
        </div>
        <div id="more">
          <Steps tracking={tracking} language={language} />
          <Advice tracking={tracking} language={language} />
          <Details tracking={tracking} language={language} now={now} />
          <History tracking={tracking} language={language} />
        </div>
      </main>
      <footer class="foot">
        <p id="live" hidden>
          {say(texts.live)}
        </p>
        <p id="reload">{say(texts.reload)}</p>
        <p>{say(texts.secret)}</p>
      </footer>
    </Document>
  );
}

function Now({ tracking: { history }, language }: Props) {
  const { title, text, foreign } = wordsOf(history[0], language);
  return (
    <>
      <h1 lang={foreign}>{title}</h1>
      <p class="lead" lang={foreign}>
        {text}
      </p>
    </>
  );
}

/** Texts that the operator wrote are in the catalogue's language; `foreign` is that one where the page's is another. */
function wordsOf({ code, name, description }: PublicEvent, language: Language) {
  const own = statusTexts[code];
  if (own) return { title: own.title[language], text: own.text[language] };
  return { title: name, text: description, ...(language !== 'pt-BR' && { foreign: 'pt-BR' }) };
}

/** Cancelled, returned, lost: there is no next step. */
const OFF_THE_WAY = new Set([2, 7, 8, 9]);

function Steps({ tracking: { stage, history }, language }: Props) {
  if (stage === 'cancelled' || OFF_THE_WAY.has(history[0].code)) return null;
  const stages = Object.keys(stepTexts);
  return (
    <ol class="steps" aria-label={texts.steps[language]}>
      {Object.entries(stepTexts).map(([step, text], at) => (
        <li class={at <= stages.indexOf(stage) ? 'done' : undefined} aria-current={step === stage ? 'step' : undefined}>
          {text[language]}
        </li>
      ))}
    </ol>
  );
}

function Advice({ tracking, language }: Props) {
  const { pickupAgency, reasonLabel, senderName, trackingCode: code } = tracking;
  const sender = senderName ?? texts.theSender[language];
  if (!pickupAgency && reasonLabel === null) return null;
  return (
    <section class="advice" aria-labelledby="advice">
      <h2 id="advice">{texts.whatToDo[language]}</h2>
      {reasonLabel === null ? null : (
        <>
          <p>
            {texts.reason[language]} <strong>{reasonLabel}</strong>
          </p>
          <p>{filled(texts.askSender[language], { sender, code })}</p>
        </>
      )}
      {pickupAgency ? <Agency agency={pickupAgency} language={language} code={code} /> : null}
    </section>
  );
}

function Agency({ agency, language, code }: { agency: PickupAgency; language: Language; code: string }) {
  const postalCode = agency.postalCode.replace(/^(\d{5})(\d{3})$/, '$1-$2');
  return (
    <>
      <p>{filled(texts.pickUp[language], { code })}</p>
      <address>
        {agency.address}
        <br />
        {placeText(agency)}
        <br />
        {texts.postalCode[language]} {postalCode}
      </address>
    </>
  );
}

/** A date that was promised says nothing once the package stands, goes back or waits for its recipient. */
const WITHOUT_PROMISE = new Set([6, 7, 9, 10]);

function Details({ tracking, language, now }: Props & { now: Date }) {
  const { promisedDate, destination, senderName, recipientInitials, trackingCode } = tracking;
  const place = placeOf(tracking);
  const isPromised = isUnderWay(tracking) && !WITHOUT_PROMISE.has(tracking.history[0].code);
  return (
    <section aria-labelledby="details">
      <h2 id="details">{texts.details[language]}</h2>
      {isPromised && promisedDate < dayOf(now.getTime()).date ? <p class="late">{texts.late[language]}</p> : null}
      <dl>
        {isPromised ? (
          <Detail of={texts.promise[language]}>
            <time datetime={promisedDate}>{dayText(promisedDate, language)}</time>
          </Detail>
        ) : null}
        {place ? <Detail of={texts.place[language]}>{placeText(place)}</Detail> : null}
        <Detail of={texts.destination[language]}>{placeText(destination)}</Detail>
        {senderName === null ? null : <Detail of={texts.sender[language]}>{senderName}</Detail>}
        {recipientInitials === null ? null : <Detail of={texts.recipient[language]}>{recipientInitials}</Detail>}
        <Detail of={texts.code[language]}>
          <span class="code">{trackingCode}</span>
        </Detail>
      </dl>
    </section>
  );
}

const isUnderWay = ({ stage }: PublicTracking): boolean => stage !== 'completed' && stage !== 'cancelled';

/** Where a package under way was seen last; a movement need not say it. */
function placeOf(tracking: PublicTracking): Location | null | undefined {
  if (!isUnderWay(tracking)) return null;
  return tracking.pickupAgency ?? tracking.history.find(({ location }) => location)?.location;
}

function Detail({ of, children }: { of: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{of}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function History({ tracking: { history }, language }: Props) {
  return (
    <section aria-labelledby="history">
      <h2 id="history">{texts.history[language]}</h2>
      <ol class="timeline">
        {history.map((event) => (
          <Event event={event} language={language} />
        ))}
      </ol>
      <p class="small">{texts.zone[language]}</p>
    </section>
  );
}

function Event({ event, language }: { event: PublicEvent; language: Language }) {
  const { title, foreign } = wordsOf(event, language);
  const { happenedAt, location } = event;
  return (
    <li>
      <p lang={foreign}>{title}</p>
      <p class="small">
        <time datetime={happenedAt.toISOString()}>{timeText(happenedAt, language)}</time>
        {location ? ` · ${placeText(location)}` : ''}
      </p>
    </li>
  );
}

const placeText = ({ city, state }: Location): string => `${city} – ${state}`;

/** The text with its values in the places of their names. */
const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
