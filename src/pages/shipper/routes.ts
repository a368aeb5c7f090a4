import type { Router } from 'express';
import { readLargeForm, readLargeTable, readTable, readUpload } from '../forms.js';
import { addPasswordLink } from '../session/password-link.js';
import { linksTo, type Place, placeRouter, type Route } from '../session/place.js';
import { addSecondFactor } from '../session/second-factor.js';
import { addSignIn } from '../session/sign-in.js';
import { fileRoutes } from '../shared/files.js';
import { deliveryPage } from '../shared/webhooks.js';
import { consoleTexts, shipperTexts as texts } from '../texts.js';
import type { ConsoleDeps } from '../visit.js';
import * as account from './account.js';
import { sendAccountLog, showAccountLog } from './account-log.js';
import * as branding from './branding.js';
import * as collections from './collections.js';
import { showCoverage } from './coverage.js';
import { checkFile, checkNext, orderNext, showImport, showPart } from './import/import.js';
import {
  search,
  sendManyLabels,
  sendOrders,
  sendPackageLabels,
  sendPackages,
  showOrders,
  showPackages,
} from './lists.js';
import * as members from './members.js';
import { showQuote } from './order/quote.js';
import { placeOrder } from './order/review.js';
import { goOn, keepForm, keepReview, showNewOrder, showRefused } from './order/steps.js';
import { cancellation, showOrder } from './orders.js';
import * as changes from './packages.js';
import { answer, showPackage } from './packages.js';
import * as presets from './presets.js';
import { showPrices } from './prices.js';
import * as profile from './profile.js';
import { showRateTable } from './rate-table.js';
import { request } from './requests.js';
import { returnPackage, showReturn } from './returns.js';
import * as factors from './second-factors.js';
import { showStart } from './start.js';
import { sendStatement, showStatement, showStatements } from './statements.js';

/** The pages of /envios and the actions of their forms, by path. They need a sign-in as shipper. */
export const routes: Readonly<Record<string, Route>> = {
  '/envios': { page: showStart },
  '/envios/search': { page: search },
  '/envios/orders': { page: showOrders, work: placeOrder, refused: showRefused, read: readTable, keep: keepReview },
  '/envios/orders.csv': { page: sendOrders },
  '/envios/packages.csv': { page: sendPackages },
  '/envios/quote': { page: showQuote },
  '/envios/new-order': { page: showNewOrder, work: goOn, read: readTable, keep: keepForm },
  '/envios/orders/:id': { page: showOrder },
  '/envios/orders/:id/cancellation': cancellation,
  '/envios/labels': { page: sendManyLabels },
  '/envios/collections': { page: collections.showCollections },
  '/envios/collections/new': { page: collections.showNewCollection, work: collections.createCollection },
  '/envios/collections/:id': { page: collections.showCollection },
  '/envios/collections/:id/sheet': { page: collections.sendSheet },
  '/envios/collections/:id/cancellation': collections.cancellation,
  '/envios/coverage': { page: showCoverage },
  '/envios/import': { page: (visit) => showImport(visit), work: checkFile, read: readUpload },
  '/envios/import/check/parts': { work: checkNext, refused: showPart, read: readLargeForm },
  '/envios/import/order/parts': { work: orderNext, refused: showPart, read: readLargeTable },
  '/envios/packages': { page: showPackages },
  '/envios/packages/labels': { page: sendPackageLabels },
  '/envios/packages/:loggi_key': { page: showPackage },
  ...fileRoutes('/envios', '/api/v1'),
  '/envios/packages/:loggi_key/answers': { work: answer, refused: showPackage },
  '/envios/packages/:loggi_key/requests': { work: request, refused: showPackage },
  '/envios/packages/:loggi_key/address-change': changes.packageAddressChange,
  '/envios/packages/:loggi_key/cancellation': changes.cancellation,
  '/envios/packages/:loggi_key/return': { page: showReturn, work: returnPackage },
  '/envios/presets': { page: presets.showPresets },
  '/envios/presets/pickups': { work: presets.addPickup, refused: presets.showPresets },
  '/envios/presets/pickups/removal': { work: presets.removePickup, refused: presets.showPresets },
  '/envios/presets/boxes': { work: presets.addBox, refused: presets.showPresets },
  '/envios/presets/boxes/removal': { work: presets.removeBox, refused: presets.showPresets },
  '/envios/rate-card': { page: showPrices },
  '/envios/rate-table': { page: showRateTable },
  '/envios/statements': { page: showStatements },
  '/envios/statements/:month': { page: showStatement },
  '/envios/statements/:month/csv': { page: sendStatement },
  '/envios/account': { page: profile.showAccount, work: profile.changeAccount },
  '/envios/own-name': { page: profile.showOwnName, work: profile.changeOwnName },
  '/envios/branding': { page: branding.showBranding, work: branding.setColour },
  '/envios/branding/logo': {
    page: branding.logo,
    work: branding.storeLogo,
    refused: branding.showBranding,
    read: readUpload,
  },
  '/envios/branding/logo/removal': { work: branding.removeLogo, refused: branding.showBranding },
  '/envios/members': { page: members.showMembers, work: members.inviteMember },
  '/envios/members/:id': { page: members.showMember, work: members.changeMember },
  '/envios/members/:id/invitation': { work: members.makeLink, refused: members.showMember },
  '/envios/members/:id/removal': members.memberRemoval,
  '/envios/members/:id/second-factor/removal': factors.memberRemoval,
  '/envios/second-factor-rule': factors.demand,
  '/envios/second-factor-rule/removal': factors.release,
  '/envios/second-factor/removal': factors.ownRemoval,
  '/envios/audit-log': { page: showAccountLog },
  '/envios/audit-log.csv': { page: sendAccountLog },
  '/envios/own-password': { page: members.showOwnPassword, work: members.changeOwnPassword },
  '/envios/api-keys': { page: account.showApiKeys, work: account.createApiKey },
  '/envios/api-keys/:id/revocation': account.keyRevocation,
  '/envios/webhook-endpoints': { page: account.showEndpoints },
  '/envios/webhook-endpoints/:id': { page: account.showEndpoint },
  '/envios/webhook-endpoints/:id/test': { work: account.testEndpoint, refused: account.showEndpoint },
  '/envios/webhook-endpoints/:id/replay': { work: account.replayDeadLetters, refused: account.showEndpoint },
  '/envios/webhook-endpoints/:id/enable': { work: account.enableEndpoint, refused: account.showEndpoint },
  '/envios/deliveries/:webhook_id': deliveryPage('GET /api/v1/deliveries/{webhook_id}'),
};

const place: Place = {
  home: '/envios',
  homeName: consoleTexts.home,
  routes,
  navigation: [
    [undefined, linksTo('/envios')],
    [
      texts.ordering,
      linksTo('/envios/quote', '/envios/new-order', '/envios/import', '/envios/presets', '/envios/coverage'),
    ],
    [texts.following, linksTo('/envios/orders', '/envios/packages', '/envios/collections')],
    [
      texts.account,
      linksTo(
        '/envios/account',
        '/envios/branding',
        '/envios/rate-card',
        '/envios/rate-table',
        '/envios/statements',
        '/envios/members',
        '/envios/audit-log',
        '/envios/own-password',
        '/envios/second-factor',
        '/envios/api-keys',
        '/envios/webhook-endpoints',
      ),
    ],
  ],
  searchLabel: texts.searchLabel,
  account: '/envios/account',
};

/** Serves /envios for shippers who have signed in. Its pages use only the published REST operations. */
export const shipperRouter = (deps: ConsoleDeps): Router =>
  placeRouter(deps, place, (router, admission) => {
    addSignIn(router, '/envios', admission);
    addSecondFactor(router, '/envios', admission, factors.OwnFactor);
    addPasswordLink(router, admission);
  });
