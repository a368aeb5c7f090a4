import { accessToken, clientsFor, must } from '../../test/support/http.js';
import { fromSource } from '../../test/support/processes/child.js';
import { startTemporaryService } from '../../test/support/processes/temporary.js';
import { operatorLogin } from '../../test/support/service.js';

/** The service that generated clients call. */
export interface Target {
  readonly url: string;
  /** Variables of a client: the address and logins. */
  readonly env: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const customer = { email: 'ana@malote.test', password: 'correct horse battery' };

/** Starts the service from its sources on a new database, with one customer whose phone is confirmed. */
export async function startTarget(): Promise<Target> {
  const { child, stop } = await startTemporaryService(fromSource('api --no-sender'), operatorLogin, () => ({
    RATE_LIMIT_PUBLIC_PER_HOUR: '100000000',
    RATE_LIMIT_ACCOUNT_PER_HOUR: '100000000',
  }));
  const token = await accessToken(child.url, operatorLogin);
  const body = { ...customer, name: 'Ana Souza', phone: '+55 11 91234-5678' };
  const { rest, operator } = clientsFor(child.url, token);
  const { id } = must(await rest.POST('/api/v1/users', { body }));
  await operator.POST('/operator/v1/users/{id}/phone-confirmation', { params: { path: { id } } });
  const env = {
    MALOTE_URL: child.url,
    MALOTE_EMAIL: customer.email,
    MALOTE_PASSWORD: customer.password,
    MALOTE_OPERATOR_EMAIL: operatorLogin.email,
    MALOTE_OPERATOR_PASSWORD: operatorLogin.password,
  };
  return { url: child.url, env, stop };
}
