import type { components } from '../../../generated/operator.js';
import { faultsText, type MovementRow, movementReader } from '../../files/movement-rows.js';
import { documents } from '../contract.js';
import type { Client } from './client.js';

export type MovementInput = components['schemas']['MovementInput'];
export type MovementResult = components['schemas']['MovementResult'];

export interface ImportSummary {
  recorded: number;
  duplicate: number;
  refused: number;
  refusals: { line: number; id?: string; code: string; message: string }[];
}

interface ImportPort {
  /** Records one batch. Returns one result per movement, in the same order. */
  send(movements: MovementInput[]): Promise<readonly MovementResult[]>;
  progress(summary: ImportSummary): void;
}

type Pending = { line: number; movement: MovementInput }[];

export const reader = movementReader<MovementInput>(documents.operator);

// The largest batch that the contract allows.
const BATCH_SIZE = 500;

export const movementSender =
  (client: Client) =>
  async (movements: MovementInput[]): Promise<readonly MovementResult[]> =>
    (await client.call('recordMovements', { body: { movements } })).results;

/** Sends rows in batches, one after another, so that movements of a package keep the order of the file. */
export async function importMovements(rows: AsyncIterable<MovementRow>, port: ImportPort): Promise<ImportSummary> {
  const summary: ImportSummary = { recorded: 0, duplicate: 0, refused: 0, refusals: [] };
  let pending: Pending = [];
  for await (const { line, ...row } of rows) {
    const result = 'fault' in row ? row : reader.check(row.value);
    if ('movement' in result) pending.push({ line, movement: result.movement });
    else {
      const message = 'fault' in result ? result.fault : faultsText(result.faults);
      refuse(summary, { line, code: 'VALIDATION_ERROR', message });
    }
    if (pending.length < BATCH_SIZE) continue;
    await sendBatch(pending, summary, port);
    pending = [];
  }
  if (pending.length > 0) await sendBatch(pending, summary, port);
  return summary;
}

async function sendBatch(pending: Pending, summary: ImportSummary, port: ImportPort): Promise<void> {
  const results = await port.send(pending.map(({ movement }) => movement));
  for (const [at, { id, result, code = 'CONFLICT', message = '', field }] of results.entries()) {
    const where = field === undefined ? message : `${field}: ${message}`;
    if (result === 'refused') refuse(summary, { line: pending[at]?.line ?? 0, id, code, message: where });
    else summary[result] += 1;
  }
  port.progress(summary);
}

function refuse(summary: ImportSummary, refusal: ImportSummary['refusals'][number]): void {
  summary.refused += 1;
  summary.refusals.push(refusal);
}
