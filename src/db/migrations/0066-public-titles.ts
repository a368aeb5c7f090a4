import { sql } from 'kysely';
import type { PublicTitle } from '../tables/movements.js';
import { type Step, sqlOf } from './migration.js';

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

const cases = words.map(([code, portuguese, english]) => {
  const title: PublicTitle = { pt_br: portuguese, en: english };
  return `when ${code} then '${JSON.stringify(title)}'::jsonb`;
});

/** Gives each status of the first catalogue its one word for recipients, shippers and operators alike. */
export const firstTitles = `update package_statuses set public_title = case code ${cases.join(' ')} end`;

export const up = sqlOf('alter table package_statuses add public_title jsonb');

export const steps: readonly Step[] = [
  { name: 'titles', run: async (db) => void (await sql.raw(firstTitles).execute(db)) },
];
