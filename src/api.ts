import { createApp } from './app.js';
import { loadConfig, readEnvironment } from './base/config.js';
import { runProcess } from './base/process.js';

/** The API, and the worker in the same process unless `--no-sender` is set. */
await runProcess(async () => {
  const config = loadConfig(readEnvironment());
  const app = await createApp(config, { worker: !process.argv.includes('--no-sender') });
  const { firstOperator, url } = app;
  const { operatorEmail } = config;
  const where = [
    `Malote is ready at ${url}`,
    `  documentation and contracts  ${url}/docs`,
    `  GraphQL                      ${url}/graphql`,
    `  operator's interface         ${url}/operator/v1`,
    `  probes and metrics           ${app.internalUrl}/readyz`,
    ...(firstOperator.created ? [`  first operator               ${firstOperator.email}`] : []),
    ...(firstOperator.created && firstOperator.generatedPassword
      ? [`  its password, shown only now ${firstOperator.generatedPassword}`]
      : []),
    ...(!firstOperator.created && firstOperator.passwordRefused
      ? [
          `  warning: OPERATOR_PASSWORD is not the password of ${operatorEmail}; set it: malote operators reset-password ${operatorEmail} --from-environment`,
        ]
      : []),
  ];
  process.stdout.write(`${where.join('\n')}\n`);
  return app;
});
