import type { ComponentChildren } from 'preact';
import { statusOf } from '../../base/errors.js';
import { Frame, type Place, VisitContext } from '../design/index.js';
import type { Text } from '../language.js';
import { Document, sendPage } from '../page.js';
import type { Bare, Visit } from '../session/visit.js';
import { navigation, consoleTexts as texts } from '../texts.js';

const linksTo = (...paths: (keyof typeof navigation)[]) => paths.map((path) => [path, navigation[path]] as const);

const place: Place = {
  home: '/console',
  navigation: [
    [undefined, linksTo('/console')],
    [texts.work, linksTo('/console/orders', '/console/packages', '/console/tasks')],
    [texts.customers, linksTo('/console/users', '/console/webhook-endpoints')],
    [
      texts.settings,
      linksTo('/console/rate-cards', '/console/package-statuses', '/console/operator-keys', '/console/audit-log'),
    ],
  ],
  search: { path: '/console/search', label: texts.searchLabel },
  account: '/console/second-factor',
  signOut: '/console/sign-out',
};

interface ShowOptions {
  status?: number;
  /** Names of files under `/assets/`. */
  scripts?: readonly string[];
  /** Address of a map's tiles, where the page has a map. */
  tiles?: string | undefined;
}

/** Sends a page of the console, for components that ask for the visit. */
export function sendConsolePage(
  visit: Bare,
  title: string,
  body: ComponentChildren,
  { status = 200, scripts = [], tiles }: ShowOptions,
): void {
  const { language, say, res } = visit;
  const page = (
    <Document {...{ language, scripts }} title={`${title} – ${say(texts.console)}`}>
      <VisitContext.Provider value={visit}>{body}</VisitContext.Provider>
    </Document>
  );
  sendPage(res, page, { status, tiles });
}

/** Sends a page to an operator, with the refusal of the form that was sent, whose status it has. */
export function show(visit: Visit, title: Text | string, children: ComponentChildren, options: ShowOptions = {}): void {
  const { say, refusal } = visit;
  const heading = typeof title === 'string' ? title : say(title);
  const body = <Frame title={heading} {...{ place, children }} />;
  sendConsolePage(visit, heading, body, {
    ...(refusal && { status: statusOf(refusal.code) }),
    ...options,
    scripts: ['design.js', ...(options.scripts ?? [])],
  });
}
