import type { PublicTitle } from '../tables/database.js';
import { sqlOf } from './migration.js';

const words: readonly (readonly [code: number, portuguese: string, english: string])[] = [
  [1, 'Registrado', 'Registered'],
  [2, 'Cancelado', 'Cancelled'],
  [3, 'A caminho', 'On its way'],
  [5, 'Entregue', 'Delivered'],
  [6, 'Aguardando o remetente', 'Waiting for the sender'],
  [7, 'Em devolução', 'Being returned'],
  [8, 'Devolvido', 'Returned'],
  [9, 'Extraviado', 'Lost'],
  [10, 'Pronto para retirada', 'Ready for pickup'],
  [11, 'Saiu para entrega', 'Out for delivery'],
  [14, 'Coletado', 'Collected'],
  [17, 'Em uma base', 'At a hub'],
  [18, 'Destinatário ausente', 'Recipient absent'],
];

/** One word for each status of the first catalogue, for recipients, shippers and operators alike, by its code. */
export const publicTitles: ReadonlyMap<number, PublicTitle> = new Map(
  words.map(([code, portuguese, english]) => [code, { pt_br: portuguese, en: english }]),
);

const cases = [...publicTitles].map(([code, title]) => `when ${code} then '${JSON.stringify(title)}'::jsonb`);

export const up = sqlOf(`
  alter table package_statuses add public_title jsonb;
  update package_statuses set public_title = case code ${cases.join(' ')} end;
`);
