import { sql } from 'kysely';
import { erased } from '../../base/erased.js';
import { classesOf, kept, rewritten, rowGone } from './classes.js';

/** Classes of accounts, their members and their sign-ins: a part of `personalData`. */
export const personData = {
  accounts: classesOf('accounts', {
    kept: 'id fiscal_rule role factor_required epoch epoch_changed_at api_key_version previous_key_version previous_key_until version created_at updated_at deleted_at held_at erased_at',
    deletion: { password_hash: '' },
    account: {
      email: sql<string>`id || ${erased.emailDomain}::text`,
      name: erased.text,
      phone: erased.phone,
      phone_confirmed: false,
      tax_id: null,
      support_contact: null,
      password_hash: '',
    },
  }),
  payment_methods: classesOf('payment_methods', {
    kept: 'id account_id kind created_at',
    account: { label: erased.text },
  }),
  login_failures: classesOf('login_failures', { kept: 'window_started_at failures', account: { subject: rowGone } }),
  sign_in_networks: classesOf('sign_in_networks', { kept: 'account_id signed_in_at', account: { network: rowGone } }),
  sealing_keys: classesOf('sealing_keys', { kept: 'id first_used_at' }),
  idempotency_keys: classesOf('idempotency_keys', {
    kept: 'account_id operation key door created_at',
    deletion: { answer: rewritten },
    account: { fingerprint: rowGone, answer: rowGone },
    recipient: { answer: rewritten },
  }),
  api_keys: classesOf('api_keys', {
    kept: 'id account_id scope created_at expires_at revoked_at made_by',
    deletion: { hash: rowGone, name: rowGone },
  }),
  members: classesOf('members', {
    kept: 'id account_id role epoch epoch_changed_at link_expires_at invited_by created_at removed_at',
    deletion: { password_hash: null, link_hash: null },
    account: {
      name: erased.text,
      email: sql<string>`id || ${erased.emailDomain}::text`,
      password_hash: null,
      link_hash: null,
    },
  }),
  brands: classesOf('brands', { kept: 'account_id logo_type', account: { color: rowGone, logo: rowGone } }),
  presets: classesOf('presets', { kept: 'account_id version', account: { pickups: rowGone, boxes: rowGone } }),
  sign_in_emails: classesOf('sign_in_emails', { kept: 'holder', deletion: { email: rowGone } }),
  operator_keys: classesOf('operator_keys', {
    kept: 'id hash name scope created_by created_at expires_at last_used_at revoked_at with_factor',
  }),
  operator_sessions: classesOf('operator_sessions', {
    kept: 'account_id epoch member_id member_epoch admitted created_at used_at',
    deletion: { hash: rowGone },
  }),
  second_factors: classesOf('second_factors', {
    kept: 'account_id confirmed_at last_step',
    deletion: { secret_sealed: rowGone, recovery_hashes: rowGone },
  }),
  audit_log: classesOf('audit_log', {
    kept: 'id created_at account_id by_operator actor_id key_id operation location fields status request_id',
    json: { targets: kept },
  }),
  erasures: classesOf('erasures', { kept: 'id kind account_id before requested_at orders finished_at leased_until' }),
};
