/** A file of its own, as the worker's log needs it and none of the handlers. */
export { secretFields } from '../../generated/redact.js';
