/** Values that replace erased personal data. The contracts allow them. Optional values are removed instead. */
export const erased = {
  text: 'Erased',
  phone: '00000000',
  postalCode: '00000000',
  /** Latitude and longitude, in degrees. */
  coordinate: 0,
  url: 'https://erased.invalid/',
  /** Domain of an erased e-mail address, after the account's id. */
  emailDomain: '@erased.invalid',
} as const;

const texts: readonly unknown[] = [erased.text, erased.postalCode];

export const isErased = (text: unknown): boolean => texts.includes(text);
