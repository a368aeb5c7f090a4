import type { ComponentChildren } from 'preact';
import type { Text } from '../language.js';
import { type FormProps, OperationForm } from './components.js';
import { texts } from './texts.js';
import type { Visit } from './visit.js';

// Tables of records, and what stands around a list of them.

export interface Column<Row> {
  heading: Text;
  cell: (row: Row) => ComponentChildren;
  isNumber?: boolean;
}

interface TableProps<Row> {
  visit: Visit;
  /** Names the table to whoever hears it. */
  caption: Text;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** What stands there when it has no rows. */
  empty?: Text;
}

export function Table<Row>({ visit, caption: name, columns, rows, empty = texts.none }: TableProps<Row>) {
  if (rows.length === 0) return <p class="empty">{visit.say(empty)}</p>;
  const caption = visit.say(name);
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

interface Pagination {
  page: number;
  total_pages: number;
  total_items: number;
}

/** Links to the pages beside this one; the rest of the address stays. */
function Pager({ visit, pagination }: { visit: Visit; pagination: Pagination }) {
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

interface ListingProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: { data: readonly Row[]; pagination: Pagination };
  /** Fields of the form that narrows the list. */
  filters?: ComponentChildren;
  /** The form that adds one. */
  addition?: Omit<FormProps, 'visit'>;
}

/** A page of a list. */
export function Listing<Row>({ visit, list, filters, addition, ...table }: ListingProps<Row>) {
  return (
    <>
      {filters && (
        <form class="filters">
          {filters}
          <button type="submit">{visit.say(texts.filter)}</button>
        </form>
      )}
      <Table visit={visit} rows={list.data} {...table} />
      <Pager visit={visit} pagination={list.pagination} />
      {addition && (
        <section>
          <h2>{visit.say(addition.submit)}</h2>
          <OperationForm visit={visit} {...addition} />
        </section>
      )}
    </>
  );
}
