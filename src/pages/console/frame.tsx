import type { Place } from '../design/index.js';
import { showIn } from '../session/show.js';
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

export const show = showIn(place);
