import { readLargeForm, readTable, readUpload } from '../session/forms.js';
import type { FormAction, Page } from '../session/place.js';
import { type Ending, endingAction, showEnding } from './ending.js';
import { checkFile, sendPart, showImport, showPart } from './import/import.js';
import { cancelPackage, changeAddress, showAddressChange, showCancellation } from './packages/changes.js';
import { sendLabel, sendLabels, sendPhoto, sendSignature } from './packages/files.js';
import { overridePin } from './packages/handover.js';
import { linkRenewal, linkRevocation } from './packages/link.js';
import { sendPackages, showPackages } from './packages/list.js';
import { showOrder } from './packages/order.js';
import { sendOrders, showOrders } from './packages/orders.js';
import { recordMovement, showPackage } from './packages/package.js';
import { showSearch } from './packages/search.js';
import { addRateCard, previewCard, showRates } from './prices/rates.js';
import { addStatus, showStatuses } from './prices/statuses.js';
import { sendNow, showStart } from './trouble/start.js';
import { completeTask, showTask, showTasks } from './trouble/tasks.js';
import { showAudit } from './users/audit.js';
import { erasure, reactivate, showDeletedUsers, showReactivation } from './users/deleted.js';
import { createKey, revocation, showKeys } from './users/keys.js';
import { createUser, showUsers } from './users/list.js';
import * as user from './users/user.js';
import { replayDelivery, showDelivery } from './webhooks/delivery.js';
import * as endpoint from './webhooks/endpoint.js';
import { createEndpoint, showEndpoints } from './webhooks/list.js';

/** Work that is asked about before it is done, by the paths of the questions. */
const endings: Readonly<Record<string, Ending>> = {
  '/console/packages/:loggi_key/tracking-link': linkRenewal,
  '/console/packages/:loggi_key/tracking-link/revocation': linkRevocation,
  '/console/users/:id/api-key-rotation': user.keyRotation,
  '/console/users/:id/api-keys/:key_id/revocation': user.keyRevocation,
  '/console/users/:id/second-factor-removal': user.factorRemoval,
  '/console/users/:id/deactivation': user.deactivation,
  '/console/deleted-users/:id/erasure': erasure,
  '/console/operator-keys/:id/revocation': revocation,
  '/console/webhook-endpoints/:id/disable': endpoint.disabling,
  '/console/webhook-endpoints/:id/deletion': endpoint.deletion,
};

const forEndings = <T>(make: (ending: Ending) => T): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(endings).map(([path, ending]) => [path, make(ending)]));

/** Pages of operators who are signed in, by their paths. */
export const pages: Readonly<Record<string, Page>> = {
  ...forEndings(showEnding),
  '/console': showStart,
  '/console/search': showSearch,
  '/console/orders': showOrders,
  '/console/orders.csv': sendOrders,
  '/console/packages': showPackages,
  '/console/packages.csv': sendPackages,
  '/console/packages/:loggi_key': showPackage,
  '/console/packages/:loggi_key/address-change': showAddressChange,
  '/console/packages/:loggi_key/cancellation': showCancellation,
  '/console/packages/:loggi_key/label': sendLabel,
  '/console/packages/:loggi_key/proof/photo': sendPhoto,
  '/console/packages/:loggi_key/proof/signature': sendSignature,
  '/console/movements/import': showImport,
  '/console/orders/:id': showOrder,
  '/console/orders/:id/labels': sendLabels,
  '/console/tasks': showTasks,
  '/console/tasks/:id': showTask,
  '/console/users': showUsers,
  '/console/users/:id': user.showUser,
  '/console/deleted-users': showDeletedUsers,
  '/console/deleted-users/:id/reactivation': showReactivation,
  '/console/operator-keys': showKeys,
  '/console/audit-log': showAudit,
  '/console/webhook-endpoints': showEndpoints,
  '/console/webhook-endpoints/:id': endpoint.showEndpoint,
  '/console/deliveries/:webhook_id': showDelivery,
  '/console/rate-cards': showRates,
  '/console/package-statuses': showStatuses,
};

/** Work of their forms, by the paths that these are sent to. */
export const actions: Readonly<Record<string, FormAction>> = {
  ...forEndings(endingAction),
  '/console/send-now': { work: sendNow, show: showStart },
  '/console/movements/import': { work: checkFile, show: showImport, read: readUpload },
  '/console/movements/import/parts': { work: sendPart, show: showPart, read: readLargeForm },
  '/console/packages/:loggi_key/movements': { work: recordMovement, show: showPackage },
  '/console/packages/:loggi_key/address-change': { work: changeAddress, show: showAddressChange },
  '/console/packages/:loggi_key/cancellation': { work: cancelPackage, show: showPackage },
  '/console/packages/:loggi_key/pin-override': { work: overridePin, show: showPackage },
  '/console/tasks/:id/completion': { work: completeTask, show: showTask },
  '/console/users': { work: createUser, show: showUsers },
  '/console/users/:id': { work: user.updateUser, show: user.showUser },
  '/console/users/:id/fiscal-rule': { work: user.setFiscalRule, show: user.showUser },
  '/console/users/:id/phone-confirmation': { work: user.confirmPhone, show: user.showUser },
  '/console/deleted-users/:id/reactivation': { work: reactivate, show: showReactivation },
  '/console/operator-keys': { work: createKey, show: showKeys },
  '/console/webhook-endpoints': { work: createEndpoint, show: showEndpoints },
  '/console/webhook-endpoints/:id': { work: endpoint.updateEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/send-now': { work: endpoint.sendNowTo, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/test': { work: endpoint.testEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/replay': { work: endpoint.replayDeadLetters, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/enable': { work: endpoint.enableEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/secret-rotation': { work: endpoint.rotateSecret, show: endpoint.showEndpoint },
  '/console/deliveries/:webhook_id/replay': { work: replayDelivery, show: showDelivery },
  '/console/rate-cards/preview': { work: previewCard, show: showRates, read: readTable },
  '/console/rate-cards': { work: addRateCard, show: showRates, read: readTable },
  '/console/package-statuses': { work: addStatus, show: showStatuses },
};
