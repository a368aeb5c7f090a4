import type { Request, RequestHandler } from 'express';
import type { DetailCode, ErrorCode, ErrorReason } from '../base/errors.js';
import type { RefusalError } from './operations.js';
import en from './texts/en.json' with { type: 'json' };
import pt from './texts/pt-BR.json' with { type: 'json' };

export const languages = ['pt-BR', 'en'] as const;
export type Language = (typeof languages)[number];

const languageNamed = (name: unknown): Language | undefined => languages.find((language) => language === name);

export const otherLanguage: Readonly<Record<Language, { code: Language; name: string }>> = {
  'pt-BR': { code: 'en', name: 'English' },
  en: { code: 'pt-BR', name: 'Português' },
};

const LANGUAGE_COOKIE = 'malote-language';
const YEAR_MS = 31_536_000_000;

/** Remembers the language of the link (`?lang=`) for later pages. */
export const rememberLanguage: RequestHandler = (req, res, next) => {
  const language = languageNamed(req.query['lang']);
  const options = { path: '/', maxAge: YEAR_MS, httpOnly: true, sameSite: 'lax' } as const;
  if (language) res.cookie(LANGUAGE_COOKIE, language, options);
  next();
};

/** The language of a page: of `?lang=` (now or earlier), else `otherwise`, else `Accept-Language`, else Portuguese. */
export function languageOf(req: Request, otherwise?: Language): Language {
  const chosen = [req.query['lang'], cookieOf(req, LANGUAGE_COOKIE)];
  const known = [...chosen, otherwise, req.acceptsLanguages('pt-BR', 'pt', 'en')];
  return known.map(languageNamed).find(Boolean) ?? 'pt-BR';
}

export function cookieOf(req: Request, name: string): string | undefined {
  const pairs = (req.headers.cookie ?? '').split(';').map((pair) => pair.trim());
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

/** A CEP as people write it: `01310-200`. */
export const postalCodeText = (code: string): string => code.replace(/^(\d{5})(\d{3})$/, '$1-$2');

/** A text in each language. A missing language does not compile. */
export type Text = Readonly<Record<Language, string>>;

/** Replaces each `{name}` in the text with its value. */
export const filled = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);

/** Writes the pause in minutes into the text. */
export function afterPause(text: Text, seconds: number): Text {
  const minutes = String(Math.ceil(seconds / 60));
  return { 'pt-BR': filled(text['pt-BR'], { minutes }), en: filled(text.en, { minutes }) };
}

type Texts<Name extends string> = Readonly<Record<Name, Text>>;

/** Joins the texts of both languages by name. A name that one language lacks does not compile. */
function inBoth<Name extends string>(portuguese: Record<Name, string>, english: Record<Name, string>): Texts<Name> {
  const others: Readonly<Record<string, string>> = english;
  const pairs = Object.entries<string>(portuguese).map(([name, text]) => [name, { 'pt-BR': text, en: others[name] }]);
  return Object.fromEntries(pairs);
}

type Kinds = Readonly<Record<string, Record<string, string>>>;

function kindsInBoth<All extends Kinds>(portuguese: All, english: All): Readonly<Record<keyof All, Texts<string>>> {
  const pairs = Object.entries(portuguese).map(([kind, words]) => [kind, inBoth(words, english[kind] ?? {})]);
  return Object.fromEntries(pairs);
}

export const notices = inBoth(pt.notices, en.notices);
export const startTexts = inBoth(pt.start, en.start);

/** The frame of the guide, and the groups of its pages. */
export const guideTexts = inBoth(pt.guide, en.guide);

/** Texts of the tracking page. `{name}` stands for a value. */
export const trackingTexts = inBoth(pt.tracking, en.tracking);
export const mapTexts = inBoth(pt.map, en.map);
/** Steps of a package without problems, by the stage of its status. */
export const stepTexts = inBoth(pt.steps, en.steps);
/** Sentences for recipients about failed delivery attempts. */
export const attemptTexts: Texts<string> = inBoth(pt.attempts, en.attempts);
/** Public titles of the usual statuses, by status code. They equal the catalogue. */
export const statusNames: Texts<string> = inBoth(pt.statusNames, en.statusNames);
/** Sentences for recipients about the usual statuses. */
export const statusTexts: Texts<string> = inBoth(pt.statusTexts, en.statusTexts);

export const consoleTexts = inBoth(pt.console, en.console);
/** Names of the pages of the console and of /envios, by path. */
export const navigation = inBoth(pt.navigation, en.navigation);
/** Messages of success, by the `done` parameter of the address. */
export const done: Texts<string> = inBoth(pt.done, en.done);
/** The texts of some of the words. A name that is not one of the words does not compile. */
type Of<Word extends string, Names> = Partial<Texts<Word>> & Record<Exclude<keyof Names, Word>, never>;
/** Sentences about refusals, by reason. `refusals` has a sentence by code, for reasons without their own. */
export const reasons: Of<ErrorReason, typeof pt.reasons> = inBoth(pt.reasons, en.reasons);
export const refusals: Of<ErrorCode, typeof pt.refusals> = inBoth(pt.refusals, en.refusals);
/** Sentences about wrong fields, by detail code. */
export const faults: Texts<DetailCode> = inBoth(pt.faults, en.faults);
/** Sentences about wrong fields with a known `{bound}`. */
const bounds: Of<DetailCode, typeof pt.bounds> = inBoth(pt.bounds, en.bounds);
/** Descriptions of the right form of a field, by the end of the field's path. */
const fieldForms: Partial<Texts<string>> = inBoth(pt.forms, en.forms);
const fields = inBoth(pt.fields, en.fields);
export const fieldNames: Partial<Texts<string>> = fields;
/** Names for an entry of a list, with its `{number}`. */
const entryNames: Partial<Texts<string>> = inBoth(pt.entries, en.entries);

/** Words that several pages share. The label of a field is also its name in a refusal. */
const words = { ...fields, ...inBoth(pt.words, en.words) };
export const accessTexts = { ...words, ...inBoth(pt.access, en.access) };
export const areaTexts = { ...words, ...inBoth(pt.areas, en.areas) };
export const calendarTexts = { ...words, ...inBoth(pt.calendars, en.calendars) };
export const collectionTexts = { ...words, ...inBoth(pt.collections, en.collections) };
export const importTexts = { ...words, ...inBoth(pt.import, en.import) };
export const packageTexts = { ...words, ...inBoth(pt.packages, en.packages) };
export const scanTexts = { ...words, ...inBoth(pt.scan, en.scan) };
export const priceTexts = { ...words, ...inBoth(pt.prices, en.prices) };
export const statementTexts = { ...words, ...inBoth(pt.statements, en.statements) };
export const todayTexts = { ...words, ...inBoth(pt.today, en.today) };
export const troubleTexts = { ...words, ...inBoth(pt.trouble, en.trouble) };
export const userTexts = { ...words, ...inBoth(pt.users, en.users) };
export const webhookTexts = { ...words, ...inBoth(pt.webhooks, en.webhooks) };

export const brandTexts = { ...words, ...inBoth(pt.brand, en.brand) };
export const accountLogTexts = { ...words, ...inBoth(pt.accountLog, en.accountLog) };
export const memberTexts = { ...words, ...inBoth(pt.members, en.members) };
export const presetTexts = { ...words, ...inBoth(pt.presets, en.presets) };
export const shipperTexts = { ...words, ...inBoth(pt.shipper, en.shipper) };
/** Names of the fields of an order and its packages. */
export const shipperFields = inBoth(pt.shipperFields, en.shipperFields);
export const orderFileTexts = inBoth(pt.orderFile, en.orderFile);
export const sheetTexts = inBoth(pt.sheet, en.sheet);
export const sheetErrors = inBoth(pt.sheetErrors, en.sheetErrors);
/** Words for values of the contract, by kind of value. Later versions may add values. */
export const valueWords = kindsInBoth(pt.values, en.values);
/** Names of the operations of the audit log. */
export const operationNames: Texts<string> = inBoth(pt.operations, en.operations);

// Says refusals of operations to people, by reason and code. The messages of operations are for developers, in English.

type Say = (text: Text) => string;
type Detail = Pick<RefusalError['details'][number], 'field' | 'code' | 'message' | 'firstDate'>;

export const refusalText = ({ code, reason }: { code: ErrorCode; reason: RefusalError['reason'] }): Text =>
  reasons[reason] ?? refusals[code] ?? consoleTexts.refused;

/** Sentences why an address could not be placed, by message of the geocoder. `{one}` and `{other}` are place names. */
const placements = inBoth(pt.placements, en.placements);
const placementMessages: readonly [pattern: RegExp, name: keyof typeof placements][] = [
  [/^The CEP is of (.+), but the address says (.+): correct/, 'otherCep'],
  [/^The CEP belongs to no municipality/, 'noCep'],
  [/^The CEP was not understood/, 'brokenCep'],
  [/^The address has more than one CEP/, 'severalCeps'],
  [/^The address names several cities, (.+): write one/, 'severalCities'],
  [/^The city may be (.+): write/, 'whichCity'],
  [/^The address names two states, (\w+) and (\w+)/, 'severalStates'],
  [/^The address may name the municipality (.+) or a neighbourhood of (.+): write/, 'orNeighbourhood'],
  [/^The address may name the state (\w+) only, or (.+): write/, 'orState'],
  [/^The address may lie abroad, or in (.+): write/, 'orAbroad'],
  [/^The city was not understood: .* no municipality of (\w+)/, 'noCity'],
  [/^The address names no city of (\w+)/, 'noCity'],
  [/^City and state do not fit: (\w+) has no city of that name, but there is (.+)\.$/, 'otherState'],
  [/^No road or car ferry joins (.+) to the other/, 'noRoad'],
];

/** The reason why an address is not placed, in the reader's language; undefined for another message. */
function placementText(message: string, say: Say): string | undefined {
  for (const [pattern, name] of placementMessages) {
    const match = pattern.exec(message);
    if (!match) continue;
    const [one = '', other = ''] = match.slice(1).map((names) => names.replaceAll(' or ', ` ${say(consoleTexts.or)} `));
    return filled(say(placements[name]), { one, other });
  }
  return undefined;
}

function onDate(date: string, say: Say): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return filled(say(consoleTexts.onDate), { year, month, day });
}

const GRAMS = 1_000;

/** Matches the message about an amount with two readings (amounts.ts). */
const TWO_READINGS = /^is ([\d.]+) or ([\d.]+)$/;

/** Describes the fault of a field: “pelo menos 2 caracteres”. Only the message has the bound. */
export function faultText({ field, code, message, firstDate }: Detail, say: Say): string {
  if (firstDate !== undefined) return filled(say(consoleTexts.firstDate), { date: onDate(firstDate, say) });
  const [, large, small] = TWO_READINGS.exec(message) ?? [];
  if (large !== undefined && small !== undefined) {
    const written = (number: string) => number.replace('.', say(consoleTexts.decimalSign));
    return filled(say(consoleTexts.twoReadings), { large: written(large), small: written(small) });
  }
  const placement = code === 'not_placed' ? placementText(message, say) : undefined;
  if (placement !== undefined) return placement;
  const form = code === 'pattern' || code === 'type' ? textOf(field, fieldForms) : undefined;
  const bound = /at (?:least|most) (\d[\d.]*)/.exec(message)?.[1];
  if (code === 'too_short' && bound === '1') return say(faults.required);
  const bounded = bound === undefined ? undefined : bounds[code];
  return say(form ?? bounded ?? faults[code]).replace('{bound}', bound === undefined ? '' : boundOf(field, bound));
}

/** A bound in the unit in which people type the field. */
function boundOf(field: string, bound: string): string {
  if (/dimensions\.weight$|zones\.weights\.\d+$/.test(field)) return `${Number(bound) / GRAMS} kg`;
  return /dimensions(\.\w+)?$/.test(field) ? `${bound} cm` : bound;
}

/** Says which field is wrong, and how: “Pacote 3, Estado: pelo menos 2 caracteres”. */
export function detailText(detail: Detail, say: Say): string {
  const name = fieldName(detail.field, say);
  return name === '' ? faultText(detail, say) : `${name}: ${faultText(detail, say)}`;
}

/** The name of the field at a path. Empty if the field has no name. */
function fieldName(path: string, say: Say): string {
  const entries = [...path.matchAll(/(\w+)\.(\d+)/g)].map(([, list = '', at]) =>
    entryNames[list] ? say(entryNames[list]).replace('{number}', String(Number(at) + 1)) : '',
  );
  const name = /\.\d+$/.test(path) && entries.at(-1) ? undefined : textOf(path, fieldNames);
  return [...entries, name ? say(name) : ''].filter(Boolean).join(', ');
}

/** Finds the text for the longest end of the path. Numbers of list entries are ignored. */
function textOf(path: string, texts: Partial<Readonly<Record<string, Text>>>): Text | undefined {
  const steps = path.split('.').filter((step) => !/^\d+$/.test(step));
  return steps.map((_, at) => texts[steps.slice(at).join('.')]).find(Boolean);
}
