import { optionsOf } from './app/arguments.js';
import { type Announced, runService } from './app/run.js';
import type { Config } from './base/config.js';

/** Four lines at most: where people and programs go, and how the first operator signs in. */
const announcement = ({ url, internalUrl, firstOperator }: Announced, { operatorEmail }: Config): string =>
  [
    `Malote is ready at ${url} (probes and metrics at ${internalUrl}/readyz)`,
    `  for people    ${url}/console for operators, ${url}/envios for shippers`,
    `  for programs  ${url}/docs/guide/ to read, ${url}/docs and ${url}/graphql to try`,
    ...operatorLine(firstOperator, operatorEmail),
  ].join('\n');

function operatorLine(operator: Announced['firstOperator'], email: string): string[] {
  const reset = `malote operators reset-password ${email} --from-environment`;
  if (!operator.created)
    return operator.passwordRefused
      ? [`  warning: OPERATOR_PASSWORD is not the password of ${email}; set it: ${reset}`]
      : [];
  const password = operator.generatedPassword;
  return [`  sign in as    ${operator.email}${password ? ` with the password ${password}, shown only now` : ''}`];
}

/** The API, and the worker in the same process unless `--no-sender` is set. */
const options = optionsOf<{ sender: boolean }>(
  'npm start --',
  'Runs the API, and the worker that sends the tracking webhook in the same process.',
  { '--no-sender': 'runs the API alone, as "npm run api" does' },
);
if (options) await runService({ worker: options.sender }, announcement);
