import type { Router } from 'express';
import { addSignIn } from '../console/access/sign-in.js';
import { sendLabel, sendLabels } from '../console/packages/files.js';
import { readLargeForm, readTable, readUpload } from '../session/forms.js';
import { type FormAction, type Page, placeRouter } from '../session/place.js';
import type { ConsoleDeps } from '../session/visit.js';
import { consoleTexts as texts } from '../texts.js';
import * as account from './account.js';
import * as changes from './changes.js';
import { checkFile, checkNext, orderNext, showImport, showPart } from './import/import.js';
import { sendManyLabels } from './labels.js';
import { search, showOrders, showPackages } from './lists.js';
import { placeOrder, quote, showNewOrder, showRefused } from './new-order.js';
import { cancelOrder, showOrder, showOrderCancellation } from './orders.js';
import { sendPicture, showPackage } from './packages.js';
import { showStart } from './start.js';

/** Pages of shippers who are signed in, by their paths. */
export const pages: Readonly<Record<string, Page>> = {
  '/envios': showStart,
  '/envios/search': search,
  '/envios/orders': showOrders,
  '/envios/new-order': showNewOrder,
  '/envios/orders/:id': showOrder,
  '/envios/orders/:id/cancellation': showOrderCancellation,
  '/envios/orders/:id/labels': sendLabels,
  '/envios/labels': sendManyLabels,
  '/envios/import': (visit) => showImport(visit),
  '/envios/packages': showPackages,
  '/envios/packages/:loggi_key': showPackage,
  '/envios/packages/:loggi_key/address-change': changes.showAddressChange,
  '/envios/packages/:loggi_key/cancellation': changes.showCancellation,
  '/envios/packages/:loggi_key/return': changes.showReturn,
  '/envios/packages/:loggi_key/label': sendLabel,
  '/envios/packages/:loggi_key/proof/photo': sendPicture('photo'),
  '/envios/packages/:loggi_key/proof/signature': sendPicture('signature'),
  '/envios/account': account.showAccount,
  '/envios/api-keys': account.showApiKeys,
  '/envios/api-keys/:id/revocation': account.showRevocation,
  '/envios/webhook-endpoints': account.showEndpoints,
  '/envios/webhook-endpoints/:id': account.showEndpoint,
  '/envios/deliveries/:webhook_id': account.showDelivery,
};

/** Work of their forms, by the paths that these are sent to. */
export const actions: Readonly<Record<string, FormAction>> = {
  '/envios/new-order': { work: quote, show: showNewOrder, read: readTable },
  '/envios/orders': { work: placeOrder, show: showRefused, read: readTable },
  '/envios/orders/:id/cancellation': { work: cancelOrder, show: showOrder },
  '/envios/import': { work: checkFile, show: (visit) => showImport(visit), read: readUpload },
  '/envios/import/check/parts': { work: checkNext, show: showPart, read: readLargeForm },
  '/envios/import/order/parts': { work: orderNext, show: showPart, read: readLargeForm },
  '/envios/packages/:loggi_key/answers': { work: changes.answer, show: showPackage },
  '/envios/packages/:loggi_key/address-change': { work: changes.changeAddress, show: changes.showAddressChange },
  '/envios/packages/:loggi_key/cancellation': { work: changes.cancelPackage, show: showPackage },
  '/envios/packages/:loggi_key/return': { work: changes.returnPackage, show: changes.showReturn },
  '/envios/api-keys': { work: account.createApiKey, show: account.showApiKeys },
  '/envios/api-keys/:id/revocation': { work: account.revokeApiKey, show: account.showApiKeys },
};

/** `/envios`: pages for shippers who have signed in, over the published operations of REST alone. */
export const shipperRouter = (deps: ConsoleDeps): Router =>
  placeRouter(deps, { root: '/envios', pages, actions, home: texts.home }, (router, admission) =>
    addSignIn(router, '/envios', admission),
  );
