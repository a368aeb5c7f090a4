import { sql } from 'kysely';
import { version } from '../../../base/version.js';
import type { Db } from '../../connect.js';
import { makeFirstPartitions } from '../../partitions/partitions.js';
import type { Migration } from '../migration.js';
import { ACCOUNTS } from './accounts.js';
import { deliveries } from './deliveries.js';
import { orders } from './orders.js';
import { packages } from './packages.js';
import { PROCESSES } from './processes.js';
import { tallies } from './tallies.js';
import { zones } from './zones.js';

/** Views, a function and a table that release 1.7 reads, beside which a database in use is upgraded. */
const READ_BEFORE = `
  create view orders_by_external_id as select account_id, external_id, order_id from order_external_ids;
  create view packages_by_code as select tracking_code, barcode, loggi_key from package_codes;
  create view movements_by_id as select id, loggi_key from movement_keys;
  create function orders_are_partitioned() returns boolean language sql immutable as 'select true';
  create table key_copies (source text primary key, last_id uuid not null);
`;

/** Makes the schema of release 1.7 in an empty database, which its 31 migrations made one after the other. */
async function up(db: Db): Promise<void> {
  for (const part of [ACCOUNTS, PROCESSES, orders, tallies, packages, deliveries, READ_BEFORE])
    await sql.raw(part).execute(db);
  await sql`
    insert into rate_cards (
      version, base_centavos, per_km_centavos, per_kg_centavos, per_extra_stop_centavos, volumetric_cm3_per_kg,
      urban_km, zones, ad_valorem)
    values (1, 990, 12, 90, 350, 6000, 60, ${JSON.stringify(zones)}, '{"basisPoints": 30, "leastCentavos": 100}')`.execute(
    db,
  );
  await makeFirstPartitions(db);
}

/** Serves no earlier release: those look for records of the migrations that it stands for. */
export const baseline: Migration = { up, serves: { from: version } };
