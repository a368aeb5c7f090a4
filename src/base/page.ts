/** One page of a list: `page` counts from 1. */
export interface Page {
  page: number;
  pageSize: number;
}

/** The rows of one page and the exact number of rows on all pages. */
export interface Listed<T> {
  rows: T[];
  total: number;
}

export const offsetOf = ({ page, pageSize }: Page): number => (page - 1) * pageSize;

/** Makes a page of a short list that was read as a whole: statuses, rate cards, payment methods of an account. */
export function pageOfAll<T>(all: readonly T[], { page, pageSize }: Page): Listed<T> {
  return { rows: all.slice((page - 1) * pageSize, page * pageSize), total: all.length };
}
