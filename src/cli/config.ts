import { homedir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, loadDatabaseSettings } from '../base/config.js';
import { checked, inCamelCase, mail, text, url } from '../base/settings.js';

/** Credentials from the environment. Undefined if they are not set. */
export interface Credentials {
  email: string | undefined;
  password: string | undefined;
  /** The name of the setting with the password, for messages. */
  setting: 'MALOTE_PASSWORD' | 'OPERATOR_PASSWORD';
}

const optional = { default: undefined };
const cliSpecification = {
  /** Address of the service, without a trailing slash. */
  MALOTE_URL: url('http', 'https')({ default: 'http://localhost:3000' }),
  MALOTE_EMAIL: mail(optional),
  MALOTE_PASSWORD: text(1, 128)(optional),
  /** The id of an API key. With its secret it replaces e-mail address and password at A. */
  MALOTE_CLIENT_ID: text(1, 128)(optional),
  MALOTE_CLIENT_SECRET: text(1, 128)(optional),
  /** Code of the second factor, for use without a terminal. */
  MALOTE_CODE: text(6, 40)(optional),
  OPERATOR_EMAIL: mail(optional),
  /** A setting of the service. It serves for sign-in, too, if MALOTE_EMAIL is not set. */
  OPERATOR_PASSWORD: text(1, 128)(optional),
  /** An operator key. It replaces e-mail address and password wherever an operator key is enough. */
  OPERATOR_KEY: text(1, 128)(optional),
  /** Credentials that `malote listen` expects and `malote verify-receiver` sends. */
  WEBHOOK_USERNAME: text(1, 255)(optional),
  WEBHOOK_PASSWORD: text(1, 255)(optional),
  WEBHOOK_SECRET: text(1, 255)(optional),
  XDG_CONFIG_HOME: text(1, 1024)(optional),
};

export const cliSettingNames = Object.keys(cliSpecification);

/** The settings of the operator's commands. */
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
    /** Reads the settings of the service, for commands that work on its database. Throws ConfigError. */
    service: () => loadConfig(env),
    /** Reads the address of the service's database. Throws ConfigError. */
    database: () => loadDatabaseSettings(env),
  };
}
