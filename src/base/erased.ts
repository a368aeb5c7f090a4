/** Values in the place of erased personal data: the contracts allow them. Optional values are left out instead. */
export const erased = {
  text: 'Erased',
  phone: '00000000',
  postalCode: '00000000',
  /** Latitude and longitude, in degrees. */
  coordinate: 0,
  url: 'https://erased.invalid/',
  /** Follows the account's id in its erased e-mail address. */
  emailDomain: '@erased.invalid',
} as const;

const texts: readonly unknown[] = [erased.text, erased.postalCode];

export const isErased = (text: unknown): boolean => texts.includes(text);
