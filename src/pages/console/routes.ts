import type { Form } from './forms.js';
import type { RefusalError } from './operations.js';
import { showPackages } from './packages/list.js';
import { showOrder } from './packages/order.js';
import { recordMovement, showPackage } from './packages/package.js';
import { showSearch } from './packages/search.js';
import { sendNow, showStart } from './trouble/start.js';
import type { Visit } from './visit.js';

export type Page = (visit: Visit) => Promise<void> | void;
export type Action = (visit: Visit, form: Form) => Promise<void> | void;

/** What a form does, and the page that shows why an operation refused it. */
export interface FormAction {
  work: Action;
  show: (visit: Visit, refusal: RefusalError, form: Form) => Promise<void> | void;
}

/** Pages of operators who are signed in, by their paths. */
export const pages: Readonly<Record<string, Page>> = {
  '/console': (visit) => showStart(visit),
  '/console/search': showSearch,
  '/console/packages': showPackages,
  '/console/packages/:loggi_key': (visit) => showPackage(visit),
  '/console/orders/:id': showOrder,
};

/** What their forms do, by the paths that these are sent to. */
export const actions: Readonly<Record<string, FormAction>> = {
  '/console/send-now': { work: sendNow, show: (visit, refusal) => showStart(visit, refusal) },
  '/console/packages/:loggi_key/movements': { work: recordMovement, show: showPackage },
};
