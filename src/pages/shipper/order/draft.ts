import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { open, SealError, seal } from '../../../base/secrets/seal.js';
import { isFields, parseJson } from '../../../base/values.js';
import { type Form, formOf } from '../../forms.js';
import { asked, type Bare, type Visit } from '../../visit.js';
import { packageFields } from '../fields.js';
import { SAVED_PICKUP, savedBox } from './preset-choice.js';

/**
 * Keeps a new order while a person types it. Each step of the form is an address that holds the typed texts. So Back
 * works, and the texts survive a new sign-in. They are personal data, so they are sealed for the person who typed them.
 */

export const PATH = '/envios/new-order';

/** Maximum number of packages in the form. Each press of the button adds one. */
export const MAX_PACKAGES = 20;

export const countOf = ({ form }: Pick<Bare, 'form'>): number =>
  Math.min(MAX_PACKAGES, Math.max(1, Math.trunc(Number(form.text('count'))) || 1));

export const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** The form has a field for the CEP. In an order, the CEP is part of the address text. */
export const PICKUP_CODE = 'pickups.0.address.postal_code';
export const packageCode = (at: number): string => `packages.${at}.address.postal_code`;

const senderNames = [
  'pickups.0.address.address',
  'pickups.0.address.complement',
  'pickups.0.sender.name',
  'pickups.0.sender.phone',
  'external_id',
  'ready_at',
] as const;

const namesOf = (count: number): string[] => [
  ...[PICKUP_CODE, SAVED_PICKUP, ...senderNames],
  ...indexes(count).flatMap((at) => [
    ...[packageCode(at), savedBox(at)],
    ...packageFields.map(({ path }) => `packages.${at}.${path}`),
  ]),
];

type Texts = Readonly<Record<string, string>>;
export type TextOf = (name: string) => string;

/** The texts of the form. Empty ones are left out. */
export function typedTexts(textOf: TextOf, count: number): Texts {
  const texts = namesOf(count).map((name) => [name, textOf(name)] as const);
  return { ...Object.fromEntries(texts.filter(([, text]) => text !== '')), count: String(count) };
}

/** The field with the id of the person who typed the form. It works also after the session has ended. */
const OWNER = 'typed_by';

export const ownerField = ({ session }: Visit): Texts => ({ [OWNER]: session.member?.id ?? session.accountId });

/** Maximum length of a draft in an address. Proxies accept a request line of 8 KiB. */
const MAX_CHARACTERS = 6_000;
const MAX_BYTES = 262_144;
const DRAFT = 'draft';

const aadOf = (owner: string): string => `new order typed by ${owner}`;

/**
 * The address of the form, or of one of its steps, with these texts. Undefined if the texts are too long for an
 * address.
 */
async function draftAddress(
  { deps }: Pick<Bare, 'deps'>,
  texts: Texts,
  { owner, step = '' }: { owner: string; step?: string },
): Promise<string | undefined> {
  const bytes = await promisify(deflateRaw)(JSON.stringify(texts));
  const draft = seal(deps.encryptionKeys, bytes, aadOf(owner)).toString('base64url');
  if (draft.length > MAX_CHARACTERS) return undefined;
  return `${PATH}?${new URLSearchParams({ ...(step !== '' && { step }), [DRAFT]: draft })}`;
}

export const ownDraft = (visit: Visit, texts: Texts, step?: string): Promise<string | undefined> =>
  draftAddress(visit, texts, { owner: ownerField(visit)[OWNER] ?? '', ...(step && { step }) });

/** Keeps the texts of a form that was sent after the session had ended. Returns the address that shows them. */
export const keepTyped =
  (step?: string) =>
  async (bare: Bare): Promise<string> => {
    const { form } = bare;
    const texts = typedTexts(form.text, countOf(bare));
    return (await draftAddress(bare, texts, { owner: form.text(OWNER), ...(step && { step }) })) ?? PATH;
  };

/** The form of the draft in the address. Undefined without a draft, and for the draft of another person. */
export async function draftIn(visit: Visit): Promise<Form | undefined> {
  const sealed = visit.url.searchParams.get(DRAFT) ?? '';
  const bytes = sealed === '' ? undefined : opened(visit, sealed);
  if (!bytes) return undefined;
  const texts = parseJson((await promisify(inflateRaw)(bytes, { maxOutputLength: MAX_BYTES })).toString());
  return isFields(texts) ? formOfTexts(texts) : undefined;
}

/** Makes a form of these texts. Fields without a text are empty. */
export function formOfTexts(texts: Readonly<Record<string, unknown>>): Form {
  const count = countOf({ form: formOf((name) => texts[name]) });
  const names = new Set(namesOf(count));
  return formOf((name) => texts[name] ?? (names.has(name) ? '' : undefined));
}

function opened(visit: Visit, sealed: string): Buffer | undefined {
  try {
    return open(visit.deps.encryptionKeys, Buffer.from(sealed, 'base64url'), aadOf(ownerField(visit)[OWNER] ?? ''));
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

/** The fields of an order that a quote's address fills in. */
const quoted = {
  from: PICKUP_CODE,
  to: packageCode(0),
  width: 'packages.0.dimensions.width',
  height: 'packages.0.dimensions.height',
  length: 'packages.0.dimensions.length',
  weight: 'packages.0.dimensions.weight',
  value: 'packages.0.declared_value',
} as const;

export const quotedNames = Object.keys(quoted);

export const quotedTexts = (visit: Bare): Texts =>
  Object.fromEntries(
    Object.entries(quoted)
      .map(([name, field]) => [field, asked(visit, name)])
      .filter(([, text]) => text !== ''),
  );
