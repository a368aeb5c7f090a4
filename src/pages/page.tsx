import type { Response } from 'express';
import type { ComponentChildren, VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { StaticFile } from '../http/reply.js';
import type { Language } from './language.js';

/** What a page may load and do, as headers: nothing of another origin, nothing inline, no frame around it. */
const pageHeaders = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
} as const;

interface DocumentProps {
  language: Language;
  title: string;
  /** What search engines show of it; without one they are asked not to list the page. */
  description?: string;
  /** Names of files under `/assets/`, beside the style sheet of all pages. */
  styles?: readonly string[];
  scripts?: readonly string[];
  children: ComponentChildren;
}

/** The frame of every page; its children are the body. */
export function Document({ language, title, description, styles = [], scripts = [], children }: DocumentProps) {
  return (
    <html lang={language}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        {description === undefined ? (
          <meta name="robots" content="noindex" />
        ) : (
          <meta name="description" content={description} />
        )}
        <title>{title}</title>
        {['pages.css', ...styles].map((file) => (
          <link rel="stylesheet" href={`/assets/${file}`} />
        ))}
        {scripts.map((file) => (
          <script type="module" src={`/assets/${file}`} />
        ))}
      </head>
      <body>{children}</body>
    </html>
  );
}

const htmlOf = (page: VNode): string => `<!doctype html>${renderToString(page)}`;

/** Sends a page as HTML, with the headers of all pages. */
export function sendPage(res: Response, page: VNode, { status = 200 } = {}): void {
  res.status(status).set(pageHeaders).vary('Accept-Language');
  res.type('html').send(htmlOf(page));
}

/** A page that is the same for everybody, for `staticFile` to render once. */
export const pageFile = (page: VNode): StaticFile => ({
  type: 'text/html; charset=utf-8',
  body: Buffer.from(htmlOf(page)),
  headers: pageHeaders,
});
