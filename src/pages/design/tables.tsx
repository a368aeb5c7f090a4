import type { ComponentChildren } from 'preact';
import { type Text, consoleTexts as texts } from '../texts.js';
import { type Bare, hrefWith, type Schemas, useVisit } from '../visit.js';
import { NumberText, useSay } from '../written.js';
import { Filters, type FormProps, PostForm } from './forms.js';
import { Page } from './frame.js';
import { Card, Empty, Section, TextLink } from './pieces.js';

export type Column<Row> = readonly [heading: Text, cell: (row: Row) => ComponentChildren, kind?: 'number'];

export interface TableProps<Row> {
  /** The name of the table for screen readers. */
  caption: Text;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Shown if the table has no rows. */
  empty?: Text;
  /** True if the table fits on a phone without change. */
  isNarrow?: boolean;
}

/** A table. On a phone, each row becomes a card whose cells show their column headings. */
export function Table<Row>({ caption: name, columns, rows, empty = texts.none, isNarrow }: TableProps<Row>) {
  const say = useSay();
  if (rows.length === 0) return <Empty text={empty} />;
  const caption = say(name);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a region that scrolls (WCAG 2.1.1)
    <section class="scroll" aria-label={caption} tabIndex={0}>
      <table class={isNarrow ? undefined : 'list'}>
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(([heading, , kind]) => (
              <th scope="col" class={kind}>
                {say(heading)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {columns.map(([heading, cell, kind]) => (
                <td class={kind} data-label={say(heading)}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const TableSection = <Row,>(table: TableProps<Row>) => (
  <Section title={table.caption}>
    <Table {...table} />
  </Section>
);

/** A table that is left out if it has no rows. */
export const TableIfAny = <Row,>(table: TableProps<Row>) =>
  table.rows.length === 0 ? null : <TableSection {...table} />;

type Pagination = Schemas['Pagination'];

/** Links to the previous and next page of a list. They keep the rest of the address. */
export function Pager({ page, total_pages: pages, total_items: total }: Pagination) {
  const visit = useVisit();
  const { say } = visit;
  if (page === 1 && pages <= 1) return null;
  const to = (number: number) => hrefWith(visit, { page: String(number) });
  return (
    <nav class="pager" aria-label={say(texts.pages)}>
      <span>
        {say(texts.page)} <NumberText of={page} /> / <NumberText of={Math.max(1, pages)} /> · <NumberText of={total} />{' '}
        {say(texts.inAll)}
      </span>
      {page > 1 && <TextLink href={to(page - 1)} text={texts.previous} kind="button secondary" />}
      {page < pages && <TextLink href={to(page + 1)} text={texts.next} kind="button secondary" />}
    </nav>
  );
}

export function pageQuery({ url }: Bare): { page?: number } {
  const page = url.searchParams.get('page') ?? '';
  return /^[1-9]\d{0,8}$/.test(page) ? { page: Number(page) } : {};
}

interface ListingProps<Row> extends Omit<TableProps<Row>, 'rows'> {
  list: { data: readonly Row[]; pagination: Pagination };
  /** Fields of the form that filters the list. */
  filters?: ComponentChildren;
  /** Replaces the table. */
  instead?: ComponentChildren;
  children?: ComponentChildren;
}

export const Listing = <Row,>({ list, filters, instead, children, ...table }: ListingProps<Row>) => [
  filters && <Filters>{filters}</Filters>,
  instead ?? <Table rows={list.data} {...table} />,
  <Pager {...list.pagination} />,
  children,
];

interface ListPageProps<Row> extends Omit<ListingProps<Row>, 'caption'> {
  title: Text;
  above?: ComponentChildren;
}

/** A page with one list. */
export const ListPage = <Row,>({ title, above, ...listing }: ListPageProps<Row>) => (
  <Page title={title}>
    {above}
    <Listing caption={title} {...listing} />
  </Page>
);

export const Addition = (form: FormProps) => (
  <Card title={form.submit}>
    <PostForm {...form} />
  </Card>
);
