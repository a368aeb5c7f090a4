import type { Place } from '../design/index.js';
import { showIn } from '../session/show.js';
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

export const show = showIn(place);
