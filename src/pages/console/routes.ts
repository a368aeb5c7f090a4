import { readLargeForm, readTable, readUpload } from '../session/forms.js';
import type { FormAction, Page } from '../session/place.js';
import { checkFile, sendPart, showImport, showPart } from './import/import.js';
import { cancelPackage, changeAddress, showAddressChange, showCancellation } from './packages/changes.js';
import { sendLabel, sendLabels, sendPhoto, sendSignature } from './packages/files.js';
import { overridePin } from './packages/handover.js';
import { showPackages, showSearch } from './packages/list.js';
import { showOrder } from './packages/order.js';
import { recordMovement, renewLink, revokeLink, showPackage } from './packages/package.js';
import { addRateCard, previewCard, showRates } from './prices/rates.js';
import { addStatus, showStatuses } from './prices/statuses.js';
import { sendNow, showStart } from './trouble/start.js';
import { completeTask, showTask, showTasks } from './trouble/tasks.js';
import { showAudit } from './users/audit.js';
import { createKey, revokeKey, showKeys } from './users/keys.js';
import { createUser, showUsers } from './users/list.js';
import {
  confirmPhone,
  deactivate,
  removeSecondFactor,
  revokeUserKey,
  rotateApiKey,
  setFiscalRule,
  showUser,
  updateUser,
} from './users/user.js';
import * as endpoint from './webhooks/endpoint.js';
import { createEndpoint, showEndpoints } from './webhooks/list.js';

/** Pages of operators who are signed in, by their paths. */
export const pages: Readonly<Record<string, Page>> = {
  '/console': showStart,
  '/console/search': showSearch,
  '/console/packages': showPackages,
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
  '/console/users/:id': showUser,
  '/console/operator-keys': showKeys,
  '/console/audit-log': showAudit,
  '/console/webhook-endpoints': showEndpoints,
  '/console/webhook-endpoints/:id': endpoint.showEndpoint,
  '/console/deliveries/:webhook_id': endpoint.showDelivery,
  '/console/rate-cards': showRates,
  '/console/package-statuses': showStatuses,
};

/** Work of their forms, by the paths that these are sent to. */
export const actions: Readonly<Record<string, FormAction>> = {
  '/console/send-now': { work: sendNow, show: showStart },
  '/console/movements/import': { work: checkFile, show: showImport, read: readUpload },
  '/console/movements/import/parts': { work: sendPart, show: showPart, read: readLargeForm },
  '/console/packages/:loggi_key/movements': { work: recordMovement, show: showPackage },
  '/console/packages/:loggi_key/address-change': { work: changeAddress, show: showAddressChange },
  '/console/packages/:loggi_key/cancellation': { work: cancelPackage, show: showPackage },
  '/console/packages/:loggi_key/tracking-link': { work: renewLink, show: showPackage },
  '/console/packages/:loggi_key/tracking-link/revocation': { work: revokeLink, show: showPackage },
  '/console/packages/:loggi_key/pin-override': { work: overridePin, show: showPackage },
  '/console/tasks/:id/completion': { work: completeTask, show: showTask },
  '/console/users': { work: createUser, show: showUsers },
  '/console/users/:id': { work: updateUser, show: showUser },
  '/console/users/:id/fiscal-rule': { work: setFiscalRule, show: showUser },
  '/console/users/:id/phone-confirmation': { work: confirmPhone, show: showUser },
  '/console/users/:id/api-key-rotation': { work: rotateApiKey, show: showUser },
  '/console/users/:id/api-keys/:key_id/revocation': { work: revokeUserKey, show: showUser },
  '/console/users/:id/second-factor-removal': { work: removeSecondFactor, show: showUser },
  '/console/users/:id/deactivation': { work: deactivate, show: showUser },
  '/console/operator-keys': { work: createKey, show: showKeys },
  '/console/operator-keys/:id/revocation': { work: revokeKey, show: showKeys },
  '/console/webhook-endpoints': { work: createEndpoint, show: showEndpoints },
  '/console/webhook-endpoints/:id': { work: endpoint.updateEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/send-now': { work: endpoint.sendNowTo, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/test': { work: endpoint.testEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/replay': { work: endpoint.replayDeadLetters, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/disable': { work: endpoint.disableEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/enable': { work: endpoint.enableEndpoint, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/secret-rotation': { work: endpoint.rotateSecret, show: endpoint.showEndpoint },
  '/console/webhook-endpoints/:id/deletion': { work: endpoint.deleteEndpoint, show: endpoint.showEndpoint },
  '/console/deliveries/:webhook_id/replay': { work: endpoint.replayDelivery, show: endpoint.showDelivery },
  '/console/rate-cards/preview': { work: previewCard, show: showRates, read: readTable },
  '/console/rate-cards': { work: addRateCard, show: showRates, read: readTable },
  '/console/package-statuses': { work: addStatus, show: showStatuses },
};
