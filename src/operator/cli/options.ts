import { InvalidArgumentError, Option } from 'commander';

const parsed =
  <T>(parse: (text: string) => T) =>
  (flags: string, description: string): Option =>
    new Option(flags, description).argParser(parse);

/** An option whose value is a whole number. */
export const whole = parsed(wholeNumber);

/** An option without a value. */
export const flag = (flags: string, description: string): Option => new Option(flags, description);

export const text = (flags: string, description: string): Option => new Option(flags, description);

export const oneOf = (flags: string, description: string, words: readonly string[]): Option =>
  new Option(flags, description).choices(words);

export const required = (option: Option): Option => option.makeOptionMandatory();

/** A whole number of the command line. Throws what commander reports as wrong usage. */
export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It is not a whole number.');
  return Number(value);
}

/** `--page` and `--page-size`. */
export interface PageOptions {
  page?: number;
  pageSize?: number;
}

export const pageOptions: readonly Option[] = [
  whole('--page <number>', 'page to show, from 1'),
  whole('--page-size <number>', 'records on a page, up to 100'),
];

/** The query parameters of a list. */
export function pageQuery({ page, pageSize }: PageOptions): { page?: number; page_size?: number } {
  return { ...(page !== undefined && { page }), ...(pageSize !== undefined && { page_size: pageSize }) };
}

export interface PasswordOptions {
  passwordStdin?: boolean;
}

export const passwordStdin: Option = new Option('--password-stdin', 'read the password from standard input');
