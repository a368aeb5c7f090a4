import { stageOf, type TimelineEntry } from '../../design/pieces.js';
import { attemptText } from '../../shared/attempts.js';
import { placeText, statusTitle } from '../../shared/words.js';
import { postalCodeText, packageTexts as texts } from '../../texts.js';
import type { Schemas, Visit } from '../../visit.js';

/** Shows a movement as an entry of the package's history. */
export function entryOf(movement: Schemas['Movement'], visit: Visit): TimelineEntry {
  const { status_code: code, high_level_status, happened_at: at, location } = movement;
  const { action_required: action, pickup_agency: agency, attempt, reopening } = movement;
  const remarks = [
    placeText(location),
    action && `${action.reason_label}: ${action.reason_description}`,
    agency && `${agency.address}, ${placeText(agency)}, ${postalCodeText(agency.postal_code)}`,
    attempt && attemptText(attempt, visit),
    reopening && `${visit.say(texts.reopened)}: ${reopening.reason}`,
  ];
  return {
    title: statusTitle(visit, { code, high_level_status }),
    at,
    stage: stageOf({ code, ...(action && { action_required: action }) }),
    children: remarks.filter(Boolean).map((remark) => ` · ${remark}`),
  };
}
