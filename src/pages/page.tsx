import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { jsxTemplate } from 'preact/jsx-runtime';
import { renderToString } from 'preact-render-to-string';
import type { StaticFile } from '../http/reply.js';
import { type Language, languages, otherLanguage } from './texts.js';
import { LanguageContext, useLanguage } from './written.js';

/** A policy that allows no content of another origin, no inline content and no frame around a page. */
const policyOf = (images = '') =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' data:${images}`,
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');

const pageHeaders = {
  'Content-Security-Policy': policyOf(),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

const fixedParts = new Map<string, string>();

/** A part of pages that depends only on the language. It is rendered once and kept, so use few names. */
export function Fixed({ name, children }: { name: string; children: () => ComponentChildren }) {
  const language = useLanguage();
  const key = `${language} ${name}`;
  let html = fixedParts.get(key);
  if (html === undefined) {
    html = renderToString(<LanguageContext.Provider value={language}>{children()}</LanguageContext.Provider>);
    fixedParts.set(key, html);
  }
  return jsxTemplate([html]);
}

interface DocumentProps {
  language: Language;
  title: string;
  /** Search engines and messengers show it. Without it, search engines are asked not to list the page. */
  description?: string | undefined;
  /** True if search engines must not list the page although it has a description. */
  isPrivate?: boolean;
  /** Address of the page without a language. Set it if the page is published in every language. */
  alternates?: string | undefined;
  /** Address of the picture that messengers show with a link to the page. */
  picture?: string;
  /** Names of files under `/assets/`, in addition to the style sheet of all pages. */
  styles?: readonly string[];
  /** Address of a style sheet with the colours of this page. */
  theme?: string | undefined;
  scripts?: readonly string[];
  children: ComponentChildren;
}

export function Document(props: DocumentProps) {
  const { language, title, description, isPrivate = description === undefined, styles = [], scripts = [] } = props;
  return (
    <LanguageContext.Provider value={language}>
      <html lang={language}>
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          {isPrivate && <meta name="robots" content="noindex" />}
          {description !== undefined && [
            <meta name="description" content={description} />,
            <meta property="og:title" content={title} />,
            <meta property="og:description" content={description} />,
            props.picture !== undefined && <meta property="og:image" content={props.picture} />,
          ]}
          <title>{title}</title>
          {props.alternates &&
            languages.map((each) => <link rel="alternate" hreflang={each} href={`${props.alternates}?lang=${each}`} />)}
          <Fixed name={`files ${styles} ${scripts}`}>
            {() => [
              <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />,
              <link rel="preload" href="/assets/inter.woff2" as="font" type="font/woff2" crossorigin="anonymous" />,
              ['design.css', ...styles].map((file) => <link rel="stylesheet" href={`/assets/${file}`} />),
              scripts.map((file) => <script type="module" src={`/assets/${file}`} />),
            ]}
          </Fixed>
          {props.theme !== undefined && <link rel="stylesheet" href={props.theme} />}
        </head>
        <body>{props.children}</body>
      </html>
    </LanguageContext.Provider>
  );
}

/** A link to the same page in the other language. `query` has the other parameters of that link. */
export function OtherLanguage({ query = {} }: { query?: URLSearchParams | Record<string, string> }) {
  const { code, name } = otherLanguage[useLanguage()];
  const asked = new URLSearchParams(query);
  asked.set('lang', code);
  return (
    <a href={`?${asked}`} lang={code} hreflang={code}>
      {name}
    </a>
  );
}

const HTML = 'text/html; charset=utf-8';

const htmlOf = (page: VNode): string => `<!doctype html>${renderToString(page)}`;

const POLICY = 'Content-Security-Policy';

/** Lets the next page of this response load map tiles from the origin of this address. */
export const allowTiles = (res: Response, tiles: string): void =>
  void res.set(POLICY, policyOf(` ${new URL(tiles).origin}`));

/** Sends a page as HTML, with the headers of all pages. */
export function sendPage(res: Response, page: VNode, { status = res.statusCode } = {}): void {
  const html = htmlOf(page);
  const policy = res.get(POLICY) ?? pageHeaders[POLICY];
  res
    .status(status)
    .set({ ...pageHeaders, [POLICY]: policy })
    .vary('Accept-Language');
  res.setHeader('Content-Type', HTML);
  res.setHeader('Content-Length', Buffer.byteLength(html));
  // Node sends a string together with the head. Express would make a Buffer of it, which is sent apart.
  res.end(res.req.method === 'HEAD' ? undefined : html);
}

/** Makes a page that is the same for everybody, so that `staticFile` renders it once. */
export const pageFile = (page: VNode): StaticFile => ({
  type: HTML,
  body: Buffer.from(htmlOf(page)),
  headers: pageHeaders,
});
