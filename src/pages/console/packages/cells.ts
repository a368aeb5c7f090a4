import { type Cells, grouped } from '../../export.js';
import { priceCells } from '../../shared/files.js';
import { addressText, placeText } from '../../shared/words.js';
import { statusNames, packageTexts as texts, valueWords } from '../../texts.js';
import type { Schemas } from '../../visit.js';

// The columns of CSV files of packages and orders.

export const packageCells: Cells<Schemas['TrackedPackage']> = [
  [texts.tracking_code, ({ tracking_code: code }) => grouped(code)],
  [texts.barcode, ({ barcode }) => grouped(barcode)],
  [texts.statusCode, ({ status }) => status.code],
  [
    texts.status,
    ({ status }, { word }) => word(statusNames, String(status.code)).replace(/^\d+$/, status.high_level_status),
  ],
  [texts.since, ({ status }, { time }) => time(status.updated_at)],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.phone, ({ recipient }) => recipient.phone],
  [texts.address, ({ address }) => addressText(address)],
  [texts.promised, ({ promised_date: day }, { date }) => date(day)],
  [texts.attempts, ({ attempts }) => attempts?.count],
  [texts.lastAttempt, ({ attempts }, { word }) => word(valueWords.attemptOutcomes, attempts?.last_outcome)],
  [texts.location, ({ location }) => placeText(location)],
  [texts.orderId, ({ order_id: id }) => id],
  [texts.accountId, ({ user_id: id }) => id],
  [texts.created, ({ created_at: at }, { time }) => time(at)],
];

export type Summary = Schemas['OrderSummary'] & { account?: string | undefined };

export const orderCells: Cells<Summary> = [
  [texts.orderId, ({ id }) => id],
  [texts.external_id, ({ external_id: id }) => id],
  [texts.account, ({ account }) => account],
  [texts.accountId, ({ user_id: id }) => id],
  [texts.status, ({ status }, { word }) => word(valueWords.stages, status)],
  ...priceCells,
  [texts.created, ({ created_at: at }, { time }) => time(at)],
];
