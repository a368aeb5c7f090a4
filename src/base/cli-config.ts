import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Config, loadConfig, loadDatabaseSettings } from './config.js';
import { checked, mail, text, url } from './settings.js';

/** Undefined where the environment does not say. */
export interface Credentials {
  email: string | undefined;
  password: string | undefined;
  /** The setting of the password, for messages. */
  setting: 'MALOTE_PASSWORD' | 'OPERATOR_PASSWORD';
}

/** Settings of the operator's commands. */
export interface CliConfig {
  /** Address of the service, without a trailing slash. */
  url: string;
  credentials: Credentials;
  /** The service's own setting, whoever signs in. */
  operatorPassword: string | undefined;
  /** Code of the second factor, where there is no terminal to ask for it. */
  code: string | undefined;
  /** Stands in for both where an operator key is enough. */
  operatorKey: string | undefined;
  /** Credentials that `malote listen` expects and `malote verify-receiver` sends. */
  webhookUsername: string | undefined;
  webhookPassword: string | undefined;
  webhookSecret: string | undefined;
  /** The XDG configuration directory. */
  configHome: string;
  /** The service's own settings, for commands that work on its database. Throws ConfigError. */
  service: () => Config;
  /** The address of the service's database. Throws ConfigError. */
  database: () => ReturnType<typeof loadDatabaseSettings>;
}

const cliSpecification = {
  MALOTE_URL: url('http', 'https')({ default: 'http://localhost:3000' }),
  MALOTE_EMAIL: mail({ default: undefined }),
  MALOTE_PASSWORD: text(1, 128)({ default: undefined }),
  MALOTE_CODE: text(6, 40)({ default: undefined }),
  OPERATOR_EMAIL: mail({ default: undefined }),
  OPERATOR_PASSWORD: text(1, 128)({ default: undefined }),
  OPERATOR_KEY: text(1, 128)({ default: undefined }),
  WEBHOOK_USERNAME: text(1, 255)({ default: undefined }),
  WEBHOOK_PASSWORD: text(1, 255)({ default: undefined }),
  WEBHOOK_SECRET: text(1, 255)({ default: undefined }),
  XDG_CONFIG_HOME: text(1, 1024)({ default: undefined }),
};

export const cliSettingNames = Object.keys(cliSpecification);

/** Reads and checks the settings of the operator's commands. Throws ConfigError. */
export function loadCliConfig(env: NodeJS.ProcessEnv): CliConfig {
  const settings = checked(env, cliSpecification);
  return {
    url: settings.MALOTE_URL,
    credentials:
      settings.MALOTE_EMAIL === undefined
        ? { email: settings.OPERATOR_EMAIL, password: settings.OPERATOR_PASSWORD, setting: 'OPERATOR_PASSWORD' }
        : { email: settings.MALOTE_EMAIL, password: settings.MALOTE_PASSWORD, setting: 'MALOTE_PASSWORD' },
    operatorPassword: settings.OPERATOR_PASSWORD,
    code: settings.MALOTE_CODE,
    operatorKey: settings.OPERATOR_KEY,
    webhookUsername: settings.WEBHOOK_USERNAME,
    webhookPassword: settings.WEBHOOK_PASSWORD,
    webhookSecret: settings.WEBHOOK_SECRET,
    configHome: settings.XDG_CONFIG_HOME ?? join(homedir(), '.config'),
    service: () => loadConfig(env),
    database: () => loadDatabaseSettings(env),
  };
}
