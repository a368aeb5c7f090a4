import type { Config } from './base/config.js';
import { optionsOf } from './processes/arguments.js';
import { type Announced, runService } from './processes/run.js';

function announcement({ url, internalUrl, firstOperator }: Announced, { operatorEmail }: Config): string {
  return [
    `Malote is ready at ${url}`,
    `  integrate                    ${url}/docs/guide/, to try requests ${url}/docs and ${url}/graphql`,
    `  follow a package             ${url}`,
    `  operate                      ${url}/console`,
    `  probes and metrics           ${internalUrl}/readyz`,
    ...(firstOperator.created ? [`  first operator               ${firstOperator.email}`] : []),
    ...(firstOperator.created && firstOperator.generatedPassword
      ? [`  its password, shown only now ${firstOperator.generatedPassword}`]
      : []),
    ...(!firstOperator.created && firstOperator.passwordRefused
      ? [
          `  warning: OPERATOR_PASSWORD is not the password of ${operatorEmail}; set it: malote operators reset-password ${operatorEmail} --from-environment`,
        ]
      : []),
  ].join('\n');
}

/** The API, and the worker in the same process unless `--no-sender` is set. */
const options = optionsOf<{ sender: boolean }>({
  name: 'npm start --',
  description: 'Runs the API, and the worker that sends the tracking webhook in the same process.',
  options: { '--no-sender': 'runs the API alone, as "npm run api" does' },
});
if (options) await runService({ worker: options.sender }, announcement);
