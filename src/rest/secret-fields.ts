/** A separate file, because the worker's log needs these names but none of the handlers. */
export { secretFields } from '../../generated/redact.js';
