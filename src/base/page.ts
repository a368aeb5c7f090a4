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
