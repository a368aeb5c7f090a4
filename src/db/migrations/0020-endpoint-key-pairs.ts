import { indexStep, type Step, sqlOf } from './migration.js';

/**
 * The key pair that signs what is sent to an endpoint, its private key sealed. The workers' upkeep gives it to those
 * without; whoever deletes an endpoint, also an earlier release, erases its keys.
 */
export const up = sqlOf(`
  alter table webhook_endpoints
    add column public_key text,
    add column private_key_sealed bytea,
    add column previous_public_key text,
    add column previous_private_key_sealed bytea,
    add column previous_key_until timestamptz(3);
  create function erase_key_pairs() returns trigger language plpgsql as $$
    begin
      new.public_key := null;
      new.private_key_sealed := null;
      new.previous_public_key := null;
      new.previous_private_key_sealed := null;
      return new;
    end $$;
  create trigger erase_key_pairs before update of deleted_at on webhook_endpoints
  for each row when (new.deleted_at is not null) execute function erase_key_pairs();
`);

export const steps: readonly Step[] = [
  indexStep(
    'webhook_endpoints_without_keys',
    'on webhook_endpoints (id) where public_key is null and deleted_at is null',
  ),
];
