import { createHash, randomUUID } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';
import { createAccount } from '../../src/accounts/account.js';
import { ask, type Login, must } from './http.js';
import { PASSWORD, passwordHash } from './password.js';
import type { Caller, Service } from './service.js';

export interface OperatorLogin extends Login {
  id: string;
}

export async function newOperator({ db }: Pick<Service, 'db'>): Promise<OperatorLogin> {
  const email = `operator-${randomUUID()}@malote.test`;
  const profile = { email, name: 'Olga', phone: '+55 11 91234-5678', role: 'operator', passwordHash } as const;
  const { id } = await createAccount(db, profile);
  return { id, email, password: PASSWORD };
}

const STEP_MS = 30_000;

/** The codes of an authenticator app, `steps` steps after the time `from`. */
export function authenticator(secret: string, from: number): (steps?: number) => string {
  const totp = new TOTP({ algorithm: 'SHA1', digits: 6, period: 30, secret: Secret.fromBase32(secret) });
  return (steps = 0) => totp.generate({ timestamp: from + steps * STEP_MS });
}

/** Begins a second factor for the caller. Resolves to the body that confirms it, and to the codes of its app. */
export async function begunFactor({ operator }: Caller, now = Date.now()) {
  const { secret, enrolment } = must(await operator.POST('/operator/v1/second-factor'));
  const codeOf = authenticator(secret, now);
  return { body: { enrolment, code: codeOf(), current_password: PASSWORD }, codeOf };
}

/** A new operator with a second factor, the codes of its app, and a caller that signed in with it. */
export async function enrolledOperator(service: Service, now = Date.now()) {
  const login = await newOperator(service);
  const caller = await service.signIn(login);
  const { body, codeOf } = await begunFactor(caller, now);
  const { access_token, recovery_codes } = must(
    await caller.operator.POST('/operator/v1/second-factor/confirmation', { body }),
  );
  return { ...login, codeOf, recoveryCodes: recovery_codes, caller: service.caller(login, access_token) };
}

const OWN_FACTOR = '/api/v1/members/me/second-factor';

/** Begins a second factor of a person of an account, as `begunFactor` does. */
export async function begunByPerson(url: string, token: string, password: string, now = Date.now()) {
  const { secret, enrolment } = JSON.parse((await ask(url, 'POST', OWN_FACTOR, { token })).text);
  const codeOf = authenticator(secret, now);
  return { body: { enrolment, code: codeOf(), current_password: password }, codeOf };
}

/** Sets up a second factor for the person of a token. Resolves to a new `token`, which was got with it. */
export async function enrolPerson(url: string, token: string, password: string, now = Date.now()) {
  const { body, codeOf } = await begunByPerson(url, token, password, now);
  const { status, text } = await ask(url, 'POST', `${OWN_FACTOR}/confirmation`, { token, body });
  if (status !== 200) throw new Error(text);
  const { recovery_codes: recoveryCodes, access_token } = JSON.parse(text);
  return { codeOf, recoveryCodes: recoveryCodes as readonly string[], token: String(access_token) };
}

export const RECOVERY_CODE = 'AAAA-BBBB-CCCC-DDDD';

/** Gives an account or a member a second factor with one recovery code. */
export async function giveFactor({ db }: Pick<Service, 'db'>, accountId: string): Promise<void> {
  const hash = createHash('sha256').update(RECOVERY_CODE.replaceAll('-', '')).digest();
  const factor = { account_id: accountId, secret_sealed: Buffer.alloc(0), recovery_hashes: [hash] };
  await db
    .insertInto('second_factors')
    .values({ ...factor, confirmed_at: new Date() })
    .execute();
}
