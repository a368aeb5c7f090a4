import type { Bare, Root } from '../visit.js';

// After sign-in, a person goes to the page that they asked for. The browser sends its address, so anybody can choose
// it. Only pages of the person's own role are allowed.

const BACK = 'back';

/** Matches the pages of sign-in and sign-out. A sign-in never leads back to them. */
const OWN = /\/(sign-in|sign-out|code)$/;

/** The address as a browser reads it. Undefined unless it is a page below the root. */
function pageWithin(text: string, root: Root): string | undefined {
  if (!URL.canParse(text, ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  if (origin !== ORIGIN || !pathname.startsWith(`${root}/`) || OWN.test(pathname)) return undefined;
  return pathname + search;
}

const ORIGIN = 'http://localhost';

/** The address of a sign-in page that later leads to `back`. `notes` are parameters without a value. */
export function withBack(path: string, back: string, root: Root, notes: readonly string[] = []): string {
  const page = pageWithin(back, root);
  const query = [...notes, ...(page === undefined ? [] : [String(new URLSearchParams({ [BACK]: page }))])].join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** The hidden field that carries the address through the forms of sign-in. */
export function backField({ form, url }: Bare): Record<string, string> {
  const back = form.text(BACK) || url.searchParams.get(BACK) || '';
  return back === '' ? {} : { [BACK]: back };
}

/** The page that the person asked for, if it belongs to the root. Otherwise the first page of the root. */
export const pageAskedFor = (visit: Bare, root: Root): string => pageWithin(backField(visit)[BACK] ?? '', root) ?? root;
