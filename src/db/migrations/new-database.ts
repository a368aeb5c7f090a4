import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { root } from '../../base/root.js';
import type { Db } from '../connect.js';
import { makeFirstPartitions } from '../partitions/partitions.js';
import { row } from '../row.js';
import type { OrderStatus, PackageStatuses } from '../tables/database.js';
import type { Zones } from '../tables/prices.js';
import { FIRST_CALENDAR } from './0039-calendars.js';
import { FIRST_NUMBERING } from './0062-change-numbers.js';
import { firstTitles } from './0066-public-titles.js';
import { type Migrations, OLDEST_FOR_NEW, serveFrom, UP, UPGRADED_FROM } from './records.js';

/** Statements that make the schema after all migrations. `npm run schema` writes them. */
const currentSchema = (): string => readFileSync(new URL('src/db/schema.sql', root), 'utf8');

/** Makes a schema in an empty database, and records the migrations that it includes. */
export async function makeSchema(trx: Db, migrations: Migrations, schema = currentSchema()): Promise<void> {
  await sql.raw(schema).execute(trx);
  await makeFirstPartitions(trx);
  await insertFirstRows(trx);
  // A schema of an earlier release has fewer tables.
  if ('0039-calendars' in migrations) await sql.raw(FIRST_CALENDAR).execute(trx);
  if ('0062-change-numbers' in migrations) await sql.raw(FIRST_NUMBERING).execute(trx);
  if ('0066-public-titles' in migrations) await sql.raw(firstTitles).execute(trx);
  const parts = Object.entries(migrations).flatMap(([name, { steps = [] }]) =>
    [UP, ...steps.map((step) => step.name)].map((part) => ({ name, part })),
  );
  await sql`
    insert into schema_migrations (name, part, finished_at)
    select name, part, now() from json_to_recordset(${JSON.stringify([{ name: UPGRADED_FROM, part: UP }, ...parts])}::json) as held(name text, part text)`.execute(
    trx,
  );
  // Earlier releases look for records of their own migrations.
  await serveFrom(trx, UPGRADED_FROM, OLDEST_FOR_NEW);
}

type Status = [
  code: number,
  name: string,
  description: string,
  stage: OrderStatus,
  more?: Partial<Pick<PackageStatuses, 'final' | 'requirement'>>,
];

const statuses: readonly Status[] = [
  [1, 'Adicionado', 'Etiqueta criada, pronta para coleta.', 'created'],
  [2, 'Cancelado', 'O envio foi cancelado.', 'cancelled', { final: true }],
  [3, 'Em processamento', 'Coletado, em processamento.', 'processing'],
  [5, 'Entregue', 'Recebido no endereço de entrega.', 'completed', { final: true }],
  [6, 'Com problema', 'Parado; o remetente precisa agir.', 'processing', { requirement: 'action_required' }],
  [7, 'Devolução iniciada', 'A devolução ao remetente começou.', 'processing'],
  [8, 'Devolvido', 'Devolvido ao remetente.', 'completed', { final: true }],
  [9, 'Extraviado', 'O pacote não foi localizado.', 'processing'],
  [
    10,
    'Retirar nos correios',
    'Disponível para retirada na agência dos correios.',
    'out_for_delivery',
    { requirement: 'pickup_agency' },
  ],
  [11, 'Saiu para entrega', 'A caminho do destinatário.', 'out_for_delivery'],
  [14, 'Coletado', 'Coletado no remetente.', 'processing'],
  [17, 'Chegou em uma base', 'Chegou em uma base de distribuição.', 'processing'],
  [18, 'Destinatário ausente', 'Ninguém recebeu; haverá nova tentativa.', 'out_for_delivery'],
];

/** Zones of the first rate card. Each price is at least that of a single package at the end of the urban kilometres. */
const zones: Zones = {
  weights: [1000, 2000, 5000, 10_000, 20_000, 30_000],
  economyDays: 3,
  rows: [
    {
      upToKm: 150,
      prices: [1990, 2290, 2890, 3790, 5490, 6990],
      perFurtherKg: 150,
      economy: { prices: [1890, 2090, 2590, 3390, 4890, 6290], perFurtherKg: 130 },
    },
    {
      upToKm: 300,
      prices: [2390, 2790, 3590, 4790, 6990, 8990],
      perFurtherKg: 220,
      economy: { prices: [2090, 2390, 2990, 3990, 5790, 7490], perFurtherKg: 180 },
    },
    {
      upToKm: 600,
      prices: [2990, 3590, 4790, 6790, 9990, 12_990],
      perFurtherKg: 320,
      economy: { prices: [2490, 2990, 3890, 5490, 7990, 10_490], perFurtherKg: 260 },
    },
    {
      upToKm: 1000,
      prices: [3690, 4590, 6490, 9490, 14_990, 19_990],
      perFurtherKg: 480,
      economy: { prices: [2990, 3690, 5190, 7590, 11_990, 15_990], perFurtherKg: 380 },
    },
    {
      upToKm: 1600,
      prices: [4590, 5890, 8690, 12_990, 20_990, 28_490],
      perFurtherKg: 680,
      economy: { prices: [3690, 4690, 6990, 10_390, 16_790, 22_790], perFurtherKg: 540 },
    },
    {
      upToKm: 2500,
      prices: [5790, 7590, 11_490, 17_490, 28_990, 39_990],
      perFurtherKg: 950,
      economy: { prices: [4690, 6090, 9190, 13_990, 23_190, 31_990], perFurtherKg: 760 },
    },
    {
      upToKm: 4000,
      prices: [7290, 9790, 15_490, 23_990, 40_990, 56_990],
      perFurtherKg: 1350,
      economy: { prices: [5890, 7890, 12_390, 19_190, 32_790, 45_590], perFurtherKg: 1080 },
    },
  ],
};

/** Inserts the first rows of a new database: the catalogue of statuses and a rate card. */
async function insertFirstRows(trx: Db): Promise<void> {
  await trx
    .insertInto('package_statuses')
    .values(
      statuses.map(([code, name, description, stage, more]) => {
        const usual = { requirement: null, final: false, public_title: null };
        // The titles come with a later migration. A schema of an earlier release has no column for them.
        const { public_title: _, ...first } = row<'package_statuses'>({
          code,
          name,
          description,
          stage,
          ...usual,
          ...more,
        });
        return first;
      }),
    )
    .execute();
  const amounts = { base_centavos: 990, per_km_centavos: 12, per_kg_centavos: 90, per_extra_stop_centavos: 350 };
  const adValorem = { basisPoints: 30, leastCentavos: 100 };
  await trx
    .insertInto('rate_cards')
    .values(
      row<'rate_cards'>({
        ...amounts,
        version: 1,
        volumetric_cm3_per_kg: 6000,
        urban_km: 60,
        zones: JSON.stringify(zones),
        ad_valorem: JSON.stringify(adValorem),
      }),
    )
    .execute();
}
