import type { ComponentChildren, VNode } from 'preact';
import { OFF_THE_WAY } from '../../packages/catalogue.js';
import { ASKS_SENDER } from '../../packages/movement.js';
import { type Text, consoleTexts as texts } from '../texts.js';
import { NumberText, Say, Time, useSay } from '../written.js';
import { Icon } from './icons.js';

interface SectionProps {
  title: Text;
  id?: string;
  /** `actions` places its buttons side by side. */
  kind?: 'card' | 'actions' | 'notice unsure';
  children: ComponentChildren;
}

export const Section = ({ title, id, children, kind }: SectionProps) => (
  <section id={id} class={kind}>
    <h2>{useSay()(title)}</h2>
    {children}
  </section>
);

export const Card = (section: SectionProps) => <Section {...section} kind="card" />;

export type Fact = readonly [name: Text, value: ComponentChildren];

/** Lists facts about one thing. Facts without a value are left out. */
export const factList = (facts: readonly Fact[]): VNode => (
  <dl class="facts">
    {facts
      .filter(([, value]) => value !== undefined && value !== null && value !== false && value !== '')
      .map(([name, value]) => (
        <div>
          <dt>
            <Say text={name} />
          </dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

interface Counted {
  text: Text;
  count: number;
  /** Address of the list of these things, if there is one. */
  href?: string;
  /** A second, smaller line, for example the count of another day. */
  beside?: ComponentChildren;
  isTrouble?: boolean;
}

/** Shows counts. Each count links to its list. */
export const Counts = ({ of }: { of: readonly Counted[] }) => (
  <ul class="counts">
    {of.map(({ text, count, href, beside, isTrouble = false }) => {
      const shown = [
        <strong>
          <NumberText of={count} />
        </strong>,
        ' ',
        <Say text={text} />,
        beside && <span class="beside">{beside}</span>,
      ];
      return (
        <li class={isTrouble && count > 0 ? 'some' : undefined}>
          {href === undefined ? (
            <div class="card">{shown}</div>
          ) : (
            <a class="card" href={href}>
              {shown}
            </a>
          )}
        </li>
      );
    })}
  </ul>
);

export interface LinkProps {
  href: string;
  text: Text;
  kind?: 'button' | 'button secondary' | 'button danger';
}

export const TextLink = ({ href, text, kind }: LinkProps) => (
  <a class={kind} href={href}>
    <Say text={text} />
  </a>
);

export const LinkLine = (link: LinkProps) => (
  <p>
    <TextLink {...link} />
  </p>
);

export const TimeLink = ({ href, at }: { href: string; at: string }) => (
  <a href={href}>
    <Time at={at} />
  </a>
);

/** A link to a page that asks before something ends. */
export const EndingLink = (link: { href: string; text: Text }) => <TextLink {...link} kind="button danger" />;

interface Status {
  code: number;
  stage?: string;
  action_required?: object;
}

/** The stage that gives a status its colour. It is `problem` if the package cannot continue by itself. */
export const stageOf = ({ code, stage, action_required: action }: Status): string | undefined =>
  action || code === ASKS_SENDER || OFF_THE_WAY.has(code) ? 'problem' : stage;

export const Chip = ({ stage = '', text }: { stage: string | undefined; text: string }) => (
  <span class={`chip ${stage}`}>{text}</span>
);

export interface TimelineEntry {
  title: ComponentChildren;
  /** A string is a time, which is shown on the clocks of São Paulo. */
  at: string | VNode;
  stage?: string | undefined;
  children?: ComponentChildren;
}

/** Lists events, newest first. */
export const Timeline = ({ entries }: { entries: readonly TimelineEntry[] }) => (
  <ol class="timeline">
    {entries.map(({ title, at, stage, children }) => (
      <li class={stage}>
        <p>{title}</p>
        <p class="hint">
          {typeof at === 'string' ? <Time at={at} /> : at}
          {children}
        </p>
      </li>
    ))}
  </ol>
);

/** Replaces an empty list by a sentence, which may say what to do next. */
export const Empty = ({ text }: { text: Text }) => (
  <div class="empty">
    <Icon name="empty" />
    <p>{useSay()(text)}</p>
  </div>
);

/** A button that copies a value. Without scripts it is hidden. */
export function Copy({ value }: { value: string }) {
  const say = useSay();
  return (
    <button type="button" class="copy" data-copy={value} data-copied={say(texts.copied)} hidden>
      {say(texts.copy)}
    </button>
  );
}

interface FileLinkProps {
  name: string;
  content: string;
  text: Text;
  isButton?: boolean;
}

/** A link to a file whose content is inside the page. */
export const FileLink = ({ name, content, text, isButton = false }: FileLinkProps) => (
  <a
    class={isButton ? 'button secondary' : undefined}
    download={name}
    href={`data:text/csv;charset=utf-8;base64,${Buffer.from(content).toString('base64')}`}
  >
    <Say text={text} />
  </a>
);

/** Shows the progress of work that needs several forms. */
export const ProgressLine = ({ title, done, all }: { title: Text; done: number; all: number }) => (
  <p role="status">
    <label for="done">
      <Say text={title} />
    </label>{' '}
    <progress id="done" value={done} max={all} /> <NumberText of={done} /> / <NumberText of={all} />
  </p>
);
