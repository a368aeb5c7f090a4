import type { ComponentChildren } from 'preact';
import type { Language, Text } from '../language.js';
import type { RefusalError } from './operations.js';
import { refusals, texts } from './texts.js';
import { type Bare, formFields, type Visit } from './visit.js';

// What the pages of the console are made of.

export interface Column<Row> {
  heading: Text;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
}

interface TableProps<Row> {
  visit: Visit;
  /** Names the table to whoever hears it. */
  caption: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What stands there when it has no rows. */
  empty?: Text;
}

export function Table<Row>({ visit, caption, columns, rows, empty = texts.none }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{visit.say(empty)}</p>;
  const classOf = ({ isNumber }: Column<Row>) => (isNumber ? 'number' : undefined);
  return (
    // Wider than a phone: it is scrolled by itself, by the keyboard too.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard (WCAG 2.1.1)
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th scope="col" class={classOf(column)}>
                {visit.say(column.heading)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map((column) => (
                <td class={classOf(column)}>{column.cell(row)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface FormProps {
  visit: Visit;
  action: string;
  /** Method and path of the operation that it calls, as the contract has them. */
  operation: string;
  submit: Text;
  isDangerous?: boolean;
  children?: ComponentChildren;
}

/** A form that calls one operation, and says which. */
export function OperationForm({ visit, action, operation, submit, isDangerous = false, children }: FormProps) {
  return (
    <form method="post" action={action} class="operation">
      <HiddenFields fields={formFields(visit)} />
      {children}
      <p class="send">
        <button type="submit" class={isDangerous ? 'danger' : undefined}>
          {visit.say(submit)}
        </button>
        <code>{operation}</code>
      </p>
    </form>
  );
}

export const HiddenFields = ({ fields }: { fields: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(fields).map(([name, value]) => (
      <input type="hidden" name={name} value={value} />
    ))}
  </>
);

interface FieldProps {
  visit: Pick<Bare, 'say'>;
  name: string;
  label: Text;
  type?: 'text' | 'email' | 'password' | 'tel' | 'number' | 'datetime-local' | 'url' | 'search';
  value?: string | undefined;
  isRequired?: boolean;
  autocomplete?: string;
  inputMode?: 'numeric' | 'decimal';
  maxLength?: number;
  step?: number;
  hint?: Text;
}

export function Field({ visit, name, label, type = 'text', value, isRequired, hint, ...rest }: FieldProps) {
  const hintId = `${name}-hint`;
  // Preact's types know each type of input by itself, and none of several.
  const kind: object = { type };
  return (
    <p class="field">
      <label for={name}>{visit.say(label)}</label>
      <input
        id={name}
        name={name}
        value={value}
        required={isRequired}
        aria-describedby={hint && hintId}
        {...rest}
        {...kind}
      />
      {hint && (
        <span class="hint" id={hintId}>
          {visit.say(hint)}
        </span>
      )}
    </p>
  );
}

interface ChoiceProps {
  visit: Pick<Bare, 'say'>;
  name: string;
  label: Text;
  options: readonly { value: string; text: string }[];
  value?: string | undefined;
}

export function Choice({ visit, name, label, options, value }: ChoiceProps) {
  return (
    <p class="field">
      <label for={name}>{visit.say(label)}</label>
      <select id={name} name={name}>
        {options.map((option) => (
          <option value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </p>
  );
}

/** What an operation said when it refused. */
export function Refusal({ visit, refusal }: { visit: Pick<Bare, 'say'>; refusal: RefusalError }) {
  const title = refusals[refusal.code] ?? texts.refused;
  return (
    <div class="notice bad" role="alert">
      <p>
        <strong>{visit.say(title)}</strong> <span lang="en">{refusal.message}</span>
      </p>
      {refusal.details.length > 0 && (
        <ul lang="en">
          {refusal.details.map(({ field, message }) => (
            <li>
              <code>{field}</code> {message}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

interface Pagination {
  page: number;
  total_pages: number;
  total_items: number;
}

/** Links to the pages beside this one; the rest of the address stays. */
export function Pager({ visit, pagination }: { visit: Visit; pagination: Pagination }) {
  const { page, total_pages: pages, total_items: total } = pagination;
  const to = (number: number) => {
    const query = new URLSearchParams(visit.url.searchParams);
    query.set('page', String(number));
    return `?${query}`;
  };
  return (
    <nav class="pager" aria-label={visit.say(texts.pages)}>
      {page > 1 && <a href={to(page - 1)}>{visit.say(texts.previous)}</a>}
      <span>
        {visit.say(texts.page)} {page} / {Math.max(1, pages)} · {total} {visit.say(texts.inAll)}
      </span>
      {page < pages && <a href={to(page + 1)}>{visit.say(texts.next)}</a>}
    </nav>
  );
}

/** The page that the address asks for. */
export function pageQuery({ url }: Visit): { page?: number } {
  const page = url.searchParams.get('page') ?? '';
  return /^[1-9]\d{0,8}$/.test(page) ? { page: Number(page) } : {};
}

const formats = new Map<Language, Intl.DateTimeFormat>();

function formatOf(language: Language): Intl.DateTimeFormat {
  const format =
    formats.get(language) ??
    new Intl.DateTimeFormat(language, { timeZone: 'America/Sao_Paulo', dateStyle: 'short', timeStyle: 'short' });
  formats.set(language, format);
  return format;
}

/** A time as people write it in Brazil's. */
export const Time = ({ visit, at }: { visit: Pick<Bare, 'language'>; at: string }) => (
  <time dateTime={at}>{formatOf(visit.language).format(new Date(at))}</time>
);

/** YYYY-MM-DD, in the order of the language. */
export const DateText = ({ visit, date }: { visit: Pick<Bare, 'language'>; date: string }) => (
  <time dateTime={date}>{visit.language === 'en' ? date : date.split('-').reverse().join('/')}</time>
);

/** Facts about one thing. */
export function Facts({ visit, facts }: { visit: Visit; facts: readonly [Text, ComponentChildren][] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div>
          <dt>{visit.say(name)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
