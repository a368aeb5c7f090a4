import type { Request } from 'express';

export const languages = ['pt-BR', 'en'] as const;
export type Language = (typeof languages)[number];

export const otherLanguage: Readonly<Record<Language, { code: Language; name: string }>> = {
  'pt-BR': { code: 'en', name: 'English' },
  en: { code: 'pt-BR', name: 'Português' },
};

/** The language of `?lang=`, else the remembered one, else `Accept-Language`'s; Portuguese without any of them. */
export function languageOf(req: Request, remembered?: string): Language {
  const known = [req.query['lang'], remembered, req.acceptsLanguages('pt-BR', 'pt', 'en')];
  return known.map((name) => languages.find((language) => language === name)).find(Boolean) ?? 'pt-BR';
}

/** A CEP as people write it: `01310-200`. */
export const postalCodeText = (code: string): string => code.replace(/^(\d{5})(\d{3})$/, '$1-$2');
