import type { ComponentChildren, VNode } from 'preact';
import { OFF_THE_WAY } from '../../packages/catalogue.js';
import { ASKS_SENDER } from '../../packages/movement.js';
import { type Text, consoleTexts as texts } from '../texts.js';
import { NumberText, Say, Time, useSay } from '../written.js';
import { Icon } from './icons.js';

interface SectionProps {
  title: Text;
  id?: string;
  /** Actions stand side by side. */
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

/** Facts about one thing; those that are missing are left out. */
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
  /** The list of them, where there is one. */
  href?: string;
  /** A smaller line, such as the count of another day. */
  beside?: ComponentChildren;
  isTrouble?: boolean;
}

/** Counts of things, as links to their lists. */
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

/** The way to a page that asks before something ends. */
export const EndingLink = (link: { href: string; text: Text }) => <TextLink {...link} kind="button danger" />;

interface Status {
  code: number;
  stage?: string;
  action_required?: object;
}

/** The stage by which a status is coloured: `problem` where a package goes no further by itself. */
export const stageOf = ({ code, stage, action_required: action }: Status): string | undefined =>
  action || code === ASKS_SENDER || OFF_THE_WAY.has(code) ? 'problem' : stage;

export const Chip = ({ stage = '', text }: { stage: string | undefined; text: string }) => (
  <span class={`chip ${stage}`}>{text}</span>
);

export interface TimelineEntry {
  title: ComponentChildren;
  /** A text is shown in the time of Brasília. */
  at: string | VNode;
  stage?: string | undefined;
  children?: ComponentChildren;
}

/** Events, the newest first. */
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

/** Stands in place of a list without entries: a sentence, and what to do next. */
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

/** A link to a file that the page itself holds. */
export const FileLink = ({ name, content, text, isButton = false }: FileLinkProps) => (
  <a
    class={isButton ? 'button secondary' : undefined}
    download={name}
    href={`data:text/csv;charset=utf-8;base64,${Buffer.from(content).toString('base64')}`}
  >
    <Say text={text} />
  </a>
);

/** Progress of work that goes on over several forms. */
export const ProgressLine = ({ title, done, all }: { title: Text; done: number; all: number }) => (
  <p role="status">
    <label for="done">
      <Say text={title} />
    </label>{' '}
    <progress id="done" value={done} max={all} /> <NumberText of={done} /> / <NumberText of={all} />
  </p>
);
