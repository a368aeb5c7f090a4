import { type CleanedEnv, cleanEnv, makeExactValidator, makeValidator, type ValidatorSpec } from 'envalid';
import ipaddr from 'ipaddr.js';
import { type KeyRing, parseKeyRing } from './secrets/keys.js';

// Validators of single settings. A message completes the sentence "<VARIABLE> …". It never has the value, which may be
// secret.

export const whole = (minimum: number, maximum: number) =>
  makeExactValidator<number>((text) => {
    const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (number >= minimum && number <= maximum) return number;
    throw new Error(`must be a whole number from ${minimum} to ${maximum}`);
  });

/** Number of one of several databases that shared the accounts until 1.8 (docs/scale.md). Now only 0 is valid. */
export const noCell = makeExactValidator<0>((text) => {
  if (text === '0') return 0;
  throw new Error(
    'must be 0 or unset: accounts are not divided among databases any more; before you remove it, read docs/upgrading.md',
  );
});

export const flag = makeExactValidator<boolean>((value) => {
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw new Error('must be 1 or 0');
});

export const text = (minimum: number, maximum: number) =>
  makeExactValidator<string>((value) => {
    const characters = [...value].length;
    if (characters >= minimum && characters <= maximum) return value;
    throw new Error(`must have ${minimum} to ${maximum} characters`);
  });

export const word = <T extends string>(words: readonly T[]) =>
  makeExactValidator<T>((value) => {
    const match = words.find((candidate) => candidate === value);
    if (match !== undefined) return match;
    throw new Error(`must be one of ${words.join(', ')}`);
  });

export const mail = makeExactValidator<string>((value) => {
  if (value.length <= 254 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value)) return value;
  throw new Error('must be an e-mail address');
});

/** An absolute URL with one of the schemes. The spelling stays, except for one trailing slash. */
export const url = (...schemes: string[]) =>
  makeExactValidator<string>((value) => {
    const scheme = URL.canParse(value) ? new URL(value).protocol.slice(0, -1) : '';
    if (schemes.includes(scheme)) return value.replace(/\/$/, '');
    throw new Error(`must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`);
  });

/** The address of a map tile, such as `https://tile.example.org/{z}/{x}/{y}.png`. */
export const tiles = makeExactValidator<string>((value) => {
  const isWhole = ['{z}', '{x}', '{y}'].every((part) => value.includes(part));
  if (isWhole && URL.canParse(value) && /^https?:\/\/[\w.:-]+\//.test(value)) return value;
  throw new Error('must be a URL that begins with http:// or https://, and has {z}, {x} and {y} in its path');
});

const targets = ['read-write', 'primary', 'any'];

/**
 * The address of a PostgreSQL. With several hosts, separated by commas as in libpq, the host that takes writes is used.
 */
export const databaseUrl = makeExactValidator<string>((value) => {
  const addresses = addressesOf(value);
  if (!addresses.every((address) => /^postgres(ql)?:/.test(address) && URL.canParse(address))) {
    throw new Error(
      'must be a URL that begins with postgres:// or postgresql://, with one host or several between commas',
    );
  }
  const target = new URL(addresses[0]).searchParams.get('target_session_attrs') ?? 'any';
  if (!targets.includes(target)) throw new Error(`must have one of ${targets.join(', ')} as target_session_attrs`);
  return value.replace(/\/$/, '');
});

/** Splits a URL with several hosts into one URL per host. */
export function addressesOf(databaseUrl: string): [string, ...string[]] {
  const [, before = '', hosts = '', after = ''] = /^([^/]*\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl) ?? [];
  const [first = '', ...others] = hosts.split(',').map((host) => `${before}${host}${after}`);
  return [first, ...others];
}

export const keyRing = makeExactValidator<KeyRing>(parseKeyRing);

/** Networks or single addresses, separated by commas. All become CIDR notation. */
export const cidrs = makeExactValidator<readonly string[]>((value) => {
  const entries = list(value);
  const wrong = entries.find((entry) => !isNetwork(entry));
  if (wrong === undefined) return entries.map(inCidr);
  throw new Error(`must list networks such as 10.0.0.0/8; ${JSON.stringify(wrong)} is not one`);
});

export const ports = makeExactValidator<readonly number[]>((value) => {
  const numbers = list(value).map((entry) => (/^\d{1,5}$/.test(entry) ? Number(entry) : 0));
  if (numbers.length > 0 && numbers.every((number) => number >= 1 && number <= 65_535)) return numbers;
  throw new Error('must list ports from 1 to 65535');
});

export type TrustProxy = false | number | readonly string[];

const namedNetworks = ['loopback', 'linklocal', 'uniquelocal'];

/** Proxies that may tell the caller's address: none, the nearest n, or those in the networks. Never all. */
export const trustProxy = makeValidator<TrustProxy>((value) => {
  if (value === 'false') return false;
  if (/^\d{1,2}$/.test(value)) return Number(value) || false;
  const networks = list(value);
  if (networks.length > 0 && networks.every((entry) => namedNetworks.includes(entry) || isNetwork(entry)))
    return networks;
  throw new Error('must be false, a number of hops, or a list of networks such as 10.0.0.0/8');
});

/** Accepts only plain spellings. Shorthands such as `10/8`, or octal parts, do not mean what they seem to. */
function isNetwork(entry: string): boolean {
  const { IPv4, IPv6 } = ipaddr;
  const isIPv4 = IPv4.isValidFourPartDecimal(entry) || IPv4.isValidCIDRFourPartDecimal(entry);
  return isIPv4 || IPv6.isValid(entry) || IPv6.isValidCIDR(entry);
}

const inCidr = (entry: string): string => (entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`);

const list = (value: string): string[] => value.split(',').flatMap((entry) => entry.trim() || []);

/** Thrown for wrong settings. The one-line message names each wrong variable and its fault, without a secret. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/** Reads the settings of a specification from an environment. Throws ConfigError that names every wrong one. */
export function checked<S extends Readonly<Record<string, ValidatorSpec<unknown>>>>(
  env: NodeJS.ProcessEnv,
  specification: S,
): CleanedEnv<S> {
  // `NAME=` in a file or a container's definition means "not set".
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''));
  const faultsOf = (errors: Partial<Record<string, Error>>) =>
    Object.entries(errors).map(([name, error]) => `${name} ${error?.message ?? 'is not valid'}`);
  return cleanEnv(given, specification, { reporter: ({ errors }) => refuse(faultsOf(errors)) });
}

type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Lowercase<Head>}${Capitalize<CamelCase<Tail>>}`
  : Lowercase<Name>;
type InCamelCase<T> = { [Name in keyof T & string as CamelCase<Name>]: T[Name] };

/** The settings with the names of the code: `DATA_DIR` becomes `dataDir`. */
export function inCamelCase<T extends Readonly<Record<string, unknown>>>(settings: T): InCamelCase<T> {
  const name = (setting: string) => setting.toLowerCase().replace(/_./g, (mark) => mark.charAt(1).toUpperCase());
  const entries = Object.entries(settings).map(([setting, value]) => [name(setting), value]);
  // The names follow the rule of the type, but the compiler cannot see that.
  return Object.fromEntries(entries) as InCamelCase<T>;
}

/** Throws one ConfigError with all faults if there are any. */
export function refuse(faults: readonly string[]): void {
  if (faults.length > 0) throw new ConfigError(faults.join('; '));
}
