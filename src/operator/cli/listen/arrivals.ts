import type { TrackingPayload } from '../../../../generated/tracking-webhook.js';
import type { Printer } from '../printer.js';
import type { Arrival } from './receiver.js';

type Tracked = TrackingPayload['packages'][number];

/** A package as one line for a person. */
export function lineOf({ trackingCode, status, location, trackingHistory }: Tracked): string {
  const extra = status.actionRequired?.reasonLabel ?? status.pickupAgency?.address;
  const note = extra ? ` [${extra}]` : '';
  const code = String(status.code).padStart(2);
  const place = `${location.city}/${location.state}`;
  return `${trackingCode}  ${code} ${status.highLevelStatus}${note}, ${place}, ${trackingHistory.length} earlier`;
}

/** Prints what arrives, one line for each package, and counts; `counted` gets the number of requests so far. */
export function printArrivals(printer: Printer, counted: (requests: number) => void) {
  let [requests, faulty] = [0, 0];
  const print = (arrival: Arrival): void => {
    const { webhookId, at, faults, duplicate, replay, payload } = arrival;
    const marks = [...faults, ...(duplicate ? ['came before'] : []), ...(replay ? ['replayed'] : [])];
    const record = { webhook_id: webhookId, received_at: at.toISOString(), duplicate, replay, faults };
    const line = (text: string) =>
      `${at.toISOString().slice(11, 19)}  ${text}${marks.length > 0 ? `: ${marks.join('; ')}` : ''}`;
    for (const tracked of payload?.packages ?? [])
      printer.event({ ...record, package: tracked }, line(lineOf(tracked)));
    if (!payload) printer.event({ ...record, package: null }, line(webhookId || 'no webhook-id'));
    requests += 1;
    if (faults.length > 0) faulty += 1;
    counted(requests);
  };
  return { print, faulty: () => faulty };
}
