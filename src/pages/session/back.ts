import type { Bare, Root } from '../visit.js';

// Signing in leads to the page that was asked for. Its address comes from the browser, and so from anybody: it must be
// a page of the place itself, whatever stands in the link.

const BACK = 'back';

/** Pages of signing in and out, to which nobody is led back. */
const OWN = /\/(sign-in|sign-out|code)$/;

/** The address, as a browser reads it, if it is a page of the place other than its first; else undefined. */
function pageWithin(text: string, root: Root): string | undefined {
  if (!URL.canParse(text, ORIGIN)) return undefined;
  const { origin, pathname, search } = new URL(text, ORIGIN);
  if (origin !== ORIGIN || !pathname.startsWith(`${root}/`) || OWN.test(pathname)) return undefined;
  return pathname + search;
}

const ORIGIN = 'http://localhost';

/** The address of a page of signing in that leads back in the end; `notes` are parameters without a value. */
export function withBack(path: string, back: string, root: Root, notes: readonly string[] = []): string {
  const page = pageWithin(back, root);
  const query = [...notes, ...(page === undefined ? [] : [String(new URLSearchParams({ [BACK]: page }))])].join('&');
  return query === '' ? path : `${path}?${query}`;
}

/** The field of the forms of signing in that carries the address on. */
export function backField({ form, url }: Bare): Record<string, string> {
  const back = form.text(BACK) || url.searchParams.get(BACK) || '';
  return back === '' ? {} : { [BACK]: back };
}

/** The page that was asked for, if the person of the root may go there; else the first one. */
export const pageAskedFor = (visit: Bare, root: Root): string => pageWithin(backField(visit)[BACK] ?? '', root) ?? root;
