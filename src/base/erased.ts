/**
 * What stands where personal data was erased: values that the contracts allow in their place, so that answers and webhook bodies
 * stay valid. Optional values are left out instead.
 */
export const erased = {
  text: 'Erased',
  phone: '00000000',
  postalCode: '00000000',
  /** Latitude and longitude, in degrees. */
  coordinate: 0,
  url: 'https://erased.invalid/',
  email: (accountId: string): string => `${accountId}@erased.invalid`,
} as const;

const texts: readonly unknown[] = [erased.text, erased.postalCode];

/** Whether a text stands for an erased one. */
export const isErased = (text: unknown): boolean => texts.includes(text);
