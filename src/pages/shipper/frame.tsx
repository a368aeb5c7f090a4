import type { ComponentChildren } from 'preact';
import { statusOf } from '../../base/errors.js';
import { Frame, type Place, VisitContext } from '../design/index.js';
import type { Text } from '../language.js';
import { Document, sendPage } from '../page.js';
import type { Visit } from '../session/visit.js';
import { shipperNavigation, shipperTexts as texts } from '../texts.js';

const linksTo = (...paths: (keyof typeof shipperNavigation)[]) =>
  paths.map((path) => [path, shipperNavigation[path]] as const);

const place: Place = {
  home: '/envios',
  navigation: [
    [undefined, linksTo('/envios')],
    [texts.ordering, linksTo('/envios/new-order', '/envios/import')],
    [texts.following, linksTo('/envios/orders', '/envios/packages')],
    [texts.account, linksTo('/envios/account', '/envios/api-keys', '/envios/webhook-endpoints')],
  ],
  search: { path: '/envios/search', label: texts.searchLabel },
  account: '/envios/account',
  signOut: '/envios/sign-out',
};

interface ShowOptions {
  status?: number;
  scripts?: readonly string[];
}

/** Sends a page to a shipper, with the refusal of the form that was sent, whose status it has. */
export function show(visit: Visit, title: Text | string, children: ComponentChildren, options: ShowOptions = {}): void {
  const { language, say, refusal, res } = visit;
  const heading = typeof title === 'string' ? title : say(title);
  const { status = refusal ? statusOf(refusal.code) : 200, scripts = [] } = options;
  const page = (
    <Document {...{ language, scripts: ['design.js', ...scripts] }} title={`${heading} – Malote`}>
      <VisitContext.Provider value={visit}>
        <Frame title={heading} {...{ place, children }} />
      </VisitContext.Provider>
    </Document>
  );
  sendPage(res, page, { status });
}
