import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, loadDatabaseSettings } from '../base/config.js';
import { checked, inCamelCase, mail, text, url } from '../base/settings.js';

/** Undefined where the environment does not say. */
export interface Credentials {
  email: string | undefined;
  password: string | undefined;
  /** The setting of the password, for messages. */
  setting: 'MALOTE_PASSWORD' | 'OPERATOR_PASSWORD';
}

const optional = { default: undefined };
const cliSpecification = {
  /** Without a trailing slash. */
  MALOTE_URL: url('http', 'https')({ default: 'http://localhost:3000' }),
  MALOTE_EMAIL: mail(optional),
  MALOTE_PASSWORD: text(1, 128)(optional),
  /** An API key with its id, which stands in for e-mail address and password at A. */
  MALOTE_CLIENT_ID: text(1, 128)(optional),
  MALOTE_CLIENT_SECRET: text(1, 128)(optional),
  /** Code of the second factor, where there is no terminal to ask for it. */
  MALOTE_CODE: text(6, 40)(optional),
  OPERATOR_EMAIL: mail(optional),
  /** The service's own setting, for every person who signs in. */
  OPERATOR_PASSWORD: text(1, 128)(optional),
  /** Stands in for e-mail address and password where an operator key is enough. */
  OPERATOR_KEY: text(1, 128)(optional),
  /** Credentials that `malote listen` expects and `malote verify-receiver` sends. */
  WEBHOOK_USERNAME: text(1, 255)(optional),
  WEBHOOK_PASSWORD: text(1, 255)(optional),
  WEBHOOK_SECRET: text(1, 255)(optional),
  XDG_CONFIG_HOME: text(1, 1024)(optional),
};

export const cliSettingNames = Object.keys(cliSpecification);

/** Settings of the operator's commands. */
export type CliConfig = ReturnType<typeof loadCliConfig>;

/** Reads and checks the settings of the operator's commands. Throws ConfigError. */
export function loadCliConfig(env: NodeJS.ProcessEnv) {
  const settings = inCamelCase(checked(env, cliSpecification));
  const { maloteClientId: id, maloteClientSecret: secret } = settings;
  const { maloteUrl, maloteEmail, malotePassword, operatorEmail, operatorPassword } = settings;
  const credentials: Credentials =
    maloteEmail === undefined
      ? { email: operatorEmail, password: operatorPassword, setting: 'OPERATOR_PASSWORD' }
      : { email: maloteEmail, password: malotePassword, setting: 'MALOTE_PASSWORD' };
  return {
    ...settings,
    url: maloteUrl,
    credentials,
    apiKey: id !== undefined && secret !== undefined ? { id, secret } : undefined,
    code: settings.maloteCode,
    configHome: settings.xdgConfigHome ?? join(homedir(), '.config'),
    /** The service's own settings, for commands that work on its database. Throws ConfigError. */
    service: () => loadConfig(env),
    /** The address of the service's database. Throws ConfigError. */
    database: () => loadDatabaseSettings(env),
  };
}
