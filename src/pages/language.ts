import type { Request } from 'express';

export const languages = ['pt-BR', 'en'] as const;
export type Language = (typeof languages)[number];

/** A text in each language; one that is missing does not compile. */
export type Text = Readonly<Record<Language, string>>;

export const otherLanguage: Readonly<Record<Language, { code: Language; name: string }>> = {
  'pt-BR': { code: 'en', name: 'English' },
  en: { code: 'pt-BR', name: 'Português' },
};

/** The language of `?lang=`, else of `Accept-Language`; Portuguese for a client that accepts neither. */
export function languageOf(req: Request): Language {
  const asked = languages.find((language) => language === req.query['lang']);
  const accepted = req.acceptsLanguages('pt-BR', 'pt', 'en');
  return asked ?? (accepted === 'en' ? 'en' : 'pt-BR');
}
