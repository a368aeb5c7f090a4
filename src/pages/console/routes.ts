import type { Router } from 'express';
import { readLargeForm, readTable, readUpload } from '../forms.js';
import { linksTo, type Place, placeRouter, type Route } from '../session/place.js';
import { addSecondFactor } from '../session/second-factor.js';
import { addSignIn } from '../session/sign-in.js';
import { fileRoutes } from '../shared/files.js';
import { consoleTexts as texts } from '../texts.js';
import type { ConsoleDeps } from '../visit.js';
import { addAreas, previewAreas } from './areas/addition.js';
import { sendVersion, showVersion, showVersions } from './areas/versions.js';
import { addCalendar, previewCalendar } from './calendars/addition.js';
import { sendDays, showCalendar, showCalendars } from './calendars/versions.js';
import { checkFile, sendPart, showImport, showPart } from './import/import.js';
import * as collections from './packages/collections.js';
import { orderList, packageList, showSearch } from './packages/list.js';
import { recordMovement } from './packages/movement.js';
import { showOrder } from './packages/order.js';
import * as carried from './packages/package.js';
import { reopenPackage, showReopening } from './packages/reopening.js';
import { scan, showScan } from './packages/scan.js';
import { addRateCard, previewCard, showRates } from './prices/rates.js';
import { addStatus, showStatuses } from './prices/statuses.js';
import * as statements from './statements.js';
import { sendNow, showStart } from './trouble/start.js';
import { completeTask, showTask, showTasks } from './trouble/tasks.js';
import * as erasures from './users/erasures.js';
import { createUser, erasure, reactivate, showDeletedUsers, showReactivation, showUsers } from './users/list.js';
import * as members from './users/members.js';
import { createKey, LostFactor, revocation, showAudit, showKeys } from './users/operators.js';
import * as user from './users/user.js';
import * as endpoint from './webhooks.js';
import { createEndpoint, showEndpoints } from './webhooks.js';

/** The pages of the console and the actions of their forms, by path. They need a sign-in as operator. */
export const routes: Readonly<Record<string, Route>> = {
  '/console': { page: showStart },
  '/console/send-now': { work: sendNow, refused: showStart },
  '/console/search': { page: showSearch },
  ...orderList,
  ...packageList,
  ...fileRoutes('/console', '/operator/v1'),
  '/console/orders/:id': { page: showOrder },
  '/console/packages/:loggi_key': { page: carried.showPackage },
  '/console/packages/:loggi_key/movements': { work: recordMovement, refused: carried.showPackage },
  '/console/packages/:loggi_key/pin-override': { work: carried.overridePin, refused: carried.showPackage },
  '/console/packages/:loggi_key/address-change': carried.packageAddressChange,
  '/console/packages/:loggi_key/cancellation': carried.cancellation,
  '/console/packages/:loggi_key/tracking-link': carried.linkRenewal,
  '/console/packages/:loggi_key/tracking-link/revocation': carried.linkRevocation,
  '/console/scan': { page: showScan, work: scan },
  '/console/movements/import': { page: showImport, work: checkFile, read: readUpload },
  '/console/movements/import/parts': { work: sendPart, refused: showPart, read: readLargeForm },
  '/console/collections': { page: collections.showCollections },
  '/console/collections/:code': { page: collections.showCollection },
  '/console/collections/:code/receipt': { work: collections.receive, refused: collections.showCollection },
  '/console/tasks': { page: showTasks },
  '/console/tasks/:id': { page: showTask },
  '/console/tasks/:id/completion': { work: completeTask, refused: showTask },
  '/console/users': { page: showUsers, work: createUser },
  '/console/users/:id': { page: user.showUser, work: user.updateUser },
  '/console/users/:id/statements': { page: statements.showAccountMonths },
  '/console/users/:id/statements/:month': { page: statements.showAccountMonth },
  '/console/users/:id/statements/:month/csv': { page: statements.sendAccountMonth },
  '/console/statements': { page: statements.showMonth },
  '/console/statements/:month/csv': { page: statements.sendMonth },
  '/console/users/:id/fiscal-rule': { work: user.setFiscalRule, refused: user.showUser },
  '/console/users/:id/rate-card': { work: user.giveRateCard, refused: user.showUser },
  '/console/users/:id/phone-confirmation': { work: user.confirmPhone, refused: user.showUser },
  '/console/users/:id/api-key-rotation': user.keyRotation,
  '/console/users/:id/api-keys/:key_id/revocation': user.keyRevocation,
  '/console/users/:id/second-factor-removal': user.factorRemoval,
  '/console/users/:id/members': { page: members.showMembers, work: members.inviteMember },
  '/console/users/:id/members/:member_id': { page: members.showMember, work: members.changeMember },
  '/console/users/:id/members/:member_id/invitation': { page: members.showLink, work: members.makeLink },
  '/console/users/:id/members/:member_id/removal': members.memberRemoval,
  '/console/users/:id/members/:member_id/second-factor/removal': {
    page: members.showFactorRemoval,
    work: members.removeFactor,
  },
  '/console/users/:id/deactivation': user.deactivation,
  '/console/deleted-users': { page: showDeletedUsers },
  '/console/deleted-users/:id/reactivation': { page: showReactivation, work: reactivate },
  '/console/deleted-users/:id/erasure': erasure,
  '/console/erasures': { page: erasures.showErasures, work: erasures.eraseRecipients, refused: erasures.countErasable },
  '/console/erasures/count': { work: erasures.countErasable, refused: erasures.showErasures },
  '/console/operator-keys': { page: showKeys, work: createKey },
  '/console/operator-keys/:id/revocation': revocation,
  '/console/audit-log': { page: showAudit },
  '/console/webhook-endpoints': { page: showEndpoints, work: createEndpoint },
  '/console/webhook-endpoints/:id': { page: endpoint.showEndpoint, work: endpoint.updateEndpoint },
  '/console/webhook-endpoints/:id/send-now': { work: endpoint.sendNowTo, refused: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/test': { work: endpoint.testEndpoint, refused: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/replay': { work: endpoint.replayDeadLetters, refused: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/enable': { work: endpoint.enableEndpoint, refused: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/secret-rotation': endpoint.secretRotation,
  '/console/webhook-endpoints/:id/disable': endpoint.disabling,
  '/console/webhook-endpoints/:id/deletion': endpoint.deletion,
  '/console/deliveries/:webhook_id': endpoint.delivery,
  '/console/deliveries/:webhook_id/replay': { work: endpoint.replayDelivery, refused: endpoint.delivery.page },
  '/console/rate-cards': { page: showRates, work: addRateCard, read: readTable },
  '/console/rate-cards/preview': { work: previewCard, refused: showRates, read: readTable },
  '/console/service-areas': { page: showVersions, work: addAreas, read: readLargeForm },
  '/console/service-areas/preview': { work: previewAreas, refused: showVersions, read: readUpload },
  '/console/service-areas/:version': { page: showVersion },
  '/console/service-areas/:version/csv': { page: sendVersion },
  '/console/calendars': { page: showCalendars, work: addCalendar, read: readLargeForm },
  '/console/calendars/preview': { work: previewCalendar, refused: showCalendars, read: readUpload },
  '/console/calendars/:version': { page: showCalendar },
  '/console/calendars/:version/csv': { page: sendDays },
  '/console/packages/:loggi_key/reopening': { page: showReopening, work: reopenPackage },
  '/console/package-statuses': { page: showStatuses, work: addStatus },
};

const place: Place = {
  home: '/console',
  homeName: texts.home,
  routes,
  navigation: [
    [undefined, linksTo('/console')],
    [
      texts.work,
      linksTo('/console/orders', '/console/packages', '/console/scan', '/console/collections', '/console/tasks'),
    ],
    [texts.customers, linksTo('/console/users', '/console/statements', '/console/webhook-endpoints')],
    [
      texts.settings,
      linksTo(
        '/console/rate-cards',
        '/console/service-areas',
        '/console/calendars',
        '/console/package-statuses',
        '/console/operator-keys',
        '/console/audit-log',
      ),
    ],
  ],
  searchLabel: texts.searchLabel,
  account: '/console/second-factor',
};

/** Serves the console under `/console`, for operators who have signed in. */
export const consoleRouter = (deps: ConsoleDeps): Router =>
  placeRouter(deps, place, (router, admission) => {
    addSignIn(router, '/console', admission);
    addSecondFactor(router, '/console', admission, LostFactor);
  });
