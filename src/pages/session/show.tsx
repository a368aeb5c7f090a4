import type { ComponentChildren } from 'preact';
import { statusOf } from '../../base/errors.js';
import { Frame, type Place, VisitContext } from '../design/index.js';
import type { Text } from '../language.js';
import { Document, sendPage } from '../page.js';
import { consoleTexts as texts } from '../texts.js';
import type { Bare, Visit } from './visit.js';

interface ShowOptions {
  status?: number;
  /** Names of files under `/assets/`. */
  scripts?: readonly string[];
  /** Address of a map's tiles, where the page has a map. */
  tiles?: string | undefined;
}

/** Sends a page of a place, for components that ask for the visit. */
export function sendPlacePage(
  visit: Bare,
  title: string,
  body: ComponentChildren,
  { status = 200, scripts = [], tiles }: ShowOptions,
): void {
  const { language, say, res, root } = visit;
  const name = root === '/console' ? say(texts.console) : 'Malote';
  const page = (
    <Document {...{ language, scripts }} title={`${title} – ${name}`}>
      <VisitContext.Provider value={visit}>{body}</VisitContext.Provider>
    </Document>
  );
  sendPage(res, page, { status, tiles });
}

/** Sends pages to people who have signed in, with the refusal of the form that was sent, whose status they have. */
export const showIn =
  (place: Place) =>
  (visit: Visit, title: Text | string, children: ComponentChildren, options: ShowOptions = {}): void => {
    const { say, refusal } = visit;
    const heading = typeof title === 'string' ? title : say(title);
    sendPlacePage(visit, heading, <Frame title={heading} {...{ place, children }} />, {
      ...(refusal && { status: statusOf(refusal.code) }),
      ...options,
      scripts: ['design.js', ...(options.scripts ?? [])],
    });
  };
