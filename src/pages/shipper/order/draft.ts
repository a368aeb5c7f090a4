import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import { open, SealError, seal } from '../../../base/secrets/seal.js';
import { isFields, parseJson } from '../../../base/values.js';
import { type Form, formOf } from '../../forms.js';
import { asked, type Bare, type Visit } from '../../visit.js';
import { packageFields } from '../fields.js';
import { SAVED_PICKUP, savedBox } from './preset-choice.js';

/**
 * A new order while it is typed. Every step of the form is an address that holds the typed texts, so that Back works,
 * and signing in again leads to them. The texts are personal: they are sealed, for the person who typed them alone.
 */

export const PATH = '/envios/new-order';

/** Each press adds one package to the form. */
export const MAX_PACKAGES = 20;

export const countOf = ({ form }: Pick<Bare, 'form'>): number =>
  Math.min(MAX_PACKAGES, Math.max(1, Math.trunc(Number(form.text('count'))) || 1));

export const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

/** The field of the form with the CEP of an address: orders have it within the address. */
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

/** The typed texts of the form, without those that are empty. */
export function typedTexts(textOf: TextOf, count: number): Texts {
  const texts = namesOf(count).map((name) => [name, textOf(name)] as const);
  return { ...Object.fromEntries(texts.filter(([, text]) => text !== '')), count: String(count) };
}

/** Names the person whose form it is, also when the session has ended meanwhile. */
const OWNER = 'typed_by';

export const ownerField = ({ session }: Visit): Texts => ({ [OWNER]: session.member?.id ?? session.accountId });

/** Proxies take a line of 8 KiB: a longer address is not made. */
const MAX_CHARACTERS = 6_000;
const MAX_BYTES = 262_144;
const DRAFT = 'draft';

const aadOf = (owner: string): string => `new order typed by ${owner}`;

/** The address of the form, or of a step of it, with these texts; undefined when they are too long for an address. */
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

/** Keeps the texts of a form that came after its session had ended: their address. */
export const keepTyped =
  (step?: string) =>
  async (bare: Bare): Promise<string> => {
    const { form } = bare;
    const texts = typedTexts(form.text, countOf(bare));
    return (await draftAddress(bare, texts, { owner: form.text(OWNER), ...(step && { step }) })) ?? PATH;
  };

/** The form of the address's draft; undefined without one, and for one of another person. */
export async function draftIn(visit: Visit): Promise<Form | undefined> {
  const sealed = visit.url.searchParams.get(DRAFT) ?? '';
  const bytes = sealed === '' ? undefined : opened(visit, sealed);
  if (!bytes) return undefined;
  const texts = parseJson((await promisify(inflateRaw)(bytes, { maxOutputLength: MAX_BYTES })).toString());
  return isFields(texts) ? formOfTexts(texts) : undefined;
}

/** The form of these texts, which has every field. */
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

/** Sizes and CEPs of a quote's address, which an order may begin with. */
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
