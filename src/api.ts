import { optionsOf } from './app/arguments.js';
import { type Announced, runService } from './app/run.js';
import type { Config } from './base/config.js';

function announcement({ url, internalUrl, firstOperator }: Announced, { operatorEmail }: Config): string {
  return [
    '',
    `Malote is ready at ${url}`,
    `  console, for operators       ${url}/console`,
    `  pages for shippers           ${url}/envios`,
    `  guide for integrators        ${url}/docs/guide/`,
    `  explorers of the APIs        ${url}/docs and ${url}/graphql`,
    `  probes and metrics           ${internalUrl}/readyz`,
    ...operatorLines(firstOperator, operatorEmail),
    '',
  ].join('\n');
}

function operatorLines(operator: Announced['firstOperator'], email: string): string[] {
  const reset = `malote operators reset-password ${email} --from-environment`;
  if (!operator.created)
    return operator.passwordRefused
      ? [`  warning: OPERATOR_PASSWORD is not the password of ${email}; set it: ${reset}`]
      : [];
  const password = operator.generatedPassword;
  return [
    `  sign in as                   ${operator.email}`,
    ...(password ? [`  password, shown only now     ${password}`] : []),
  ];
}

/** The API, and the worker in the same process unless `--no-sender` is set. */
const options = optionsOf<{ sender: boolean }>(
  'npm start --',
  'Runs the API, and the worker that sends the tracking webhook in the same process.',
  { '--no-sender': 'runs the API alone, as "npm run api" does' },
);
if (options) await runService({ worker: options.sender }, announcement);
