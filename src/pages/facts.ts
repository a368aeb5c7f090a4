/** Passes on the domain facts that the pages of operators and shippers need, so those folders import no domain. */
export { inquiryProblems, requestKinds } from '../db/tables/changes.js';
export { deliveryOutcomes } from '../db/tables/movements.js';
export { OVERLAP_HOURS } from '../endpoints/endpoints.js';
export { usualWay } from '../packages/catalogue.js';
export { ASKS_SENDER, DELIVERED, FIRST_STATUS } from '../packages/movement.js';
export { isPossible } from '../packages/requests.js';
export { municipalityOfCode } from '../routing/places/municipalities.js';
