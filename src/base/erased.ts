/** Values in place of erased ones: the contracts allow them, so answers and webhook bodies stay valid. */
export const erased = {
  text: 'Erased',
  phone: '00000000',
  postalCode: '00000000',
  /** Latitude and longitude, in degrees. */
  coordinate: 0,
  url: 'https://erased.invalid/',
  /** After the account's id, its e-mail address. */
  emailDomain: '@erased.invalid',
} as const;

const texts: readonly unknown[] = [erased.text, erased.postalCode];

/** True for a text in place of an erased one. */
export const isErased = (text: unknown): boolean => texts.includes(text);
