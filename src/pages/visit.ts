import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { Express, Request, Response } from 'express';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { components } from '../../generated/operator.js';
import type { components as restComponents } from '../../generated/rest.js';
import type { Identity } from '../accounts/identity.js';
import { formTokenOf, type Session } from '../accounts/sessions/session.js';
import type { Sessions } from '../accounts/sessions/sessions.js';
import type { Clock } from '../base/clock.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { open, seal } from '../base/secrets/seal.js';
import type { Logger } from '../base/telemetry/log.js';
import { isFields, parseJson } from '../base/values.js';
import type { InterfaceLimits } from '../http/limits/rate-limit.js';
import { type Form, formOf, unreadable } from './forms.js';
import type { BodyOf, OperationName, Operations, Parameters, RefusalError } from './operations.js';
import { operationsFor, pathWith } from './operations.js';
import { type Language, languageOf, type Text } from './texts.js';

/** Records of the contracts. */
export type Schemas = components['schemas'];
export type RestSchemas = restComponents['schemas'];

export interface ConsoleDeps {
  sessions: Sessions;
  identity: Pick<Identity, 'sessionToken'>;
  app: Express;
  limits: InterfaceLimits;
  clock: Clock;
  log: Logger;
  encryptionKeys: KeyRing;
  /** Address of the service. With https, browsers send its cookies by https only. */
  publicUrl: string;
  /** Address of a map's tiles, for pages with a map. */
  mapTilesUrl?: string | undefined;
  /** True if an operator without a second factor must set one up first. */
  requireSecondFactor: boolean;
}

/** Where people of one role work. The path of each of their pages begins with it. */
export type Root = (typeof roots)[Session['role']];

const roots = { operator: '/console', customer: '/envios' } as const satisfies Record<Session['role'], string>;

export const rootOf = ({ role }: Pick<Session, 'role'>): Root => roots[role];

/** The links of a place, in groups; the first group needs no name. */
type Navigation = readonly (readonly [group: Text | undefined, links: Links])[];
type Links = readonly (readonly [path: string, name: Text])[];

/** Parts that all pages of one role share. */
export interface PlaceParts {
  home: Root;
  navigation: Navigation;
  searchLabel: Text;
  /** The page of the person's own account. */
  account: string;
}

/** A request of a page. The client may not be signed in. */
export interface Bare {
  readonly place: PlaceParts;
  readonly deps: ConsoleDeps;
  readonly req: Request;
  readonly res: Response;
  readonly language: Language;
  readonly url: URL;
  readonly now: Date;
  readonly say: (text: Text) => string;
  /** The fields of the form. A GET has none. */
  readonly form: Form;
}

/** A request of a person who has signed in, at least with the password. */
export interface Visit extends Bare, Operations {
  readonly session: Session;
  /** A token in each form. It proves that the form was made for this session. */
  readonly formToken: string;
  /** The refusal of the form by an operation. Set when the page shows the form again. */
  readonly refusal?: RefusalError;
}

type Answered = Bare & Partial<Pick<Visit, 'session' | 'formToken' | 'refusal'>>;

/** The request that a page answers, for the components of the page. */
export const VisitContext = createContext<Answered | undefined>(undefined);

export function useVisit(): Answered {
  const visit = useContext(VisitContext);
  if (!visit) throw new Error('a component of a signed-in page is outside of one');
  return visit;
}

const noForm = formOf(() => undefined);

export function bareVisit(deps: ConsoleDeps, place: PlaceParts, req: Request, res: Response): Bare {
  const language = languageOf(req);
  const url = new URL(req.originalUrl, 'http://localhost');
  return { deps, place, req, res, language, url, now: deps.clock(), say: (text) => text[language], form: noForm };
}

export function signedIn(bare: Bare, session: Session): Visit {
  const { app, identity } = bare.deps;
  const { accountId, role, epoch, member, isAdmitted, hasSecondFactor, mustEnrol } = session;
  // An admitted session of an account with a second factor has given its code.
  const withFactor = isAdmitted && hasSecondFactor;
  const token = identity.sessionToken({ accountId, role, epoch, member, withFactor, mustEnrol });
  const operations = operationsFor(app, bare.req, token, parameters(bare));
  return { ...bare, session, formToken: formTokenOf(session), ...operations };
}

const parameters = ({ req }: Bare): Parameters =>
  Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)]));

export const param = (visit: Bare, name: string): string => parameters(visit)[name] ?? '';

/** A parameter of the address: trimmed, at most 255 characters. Empty if it is missing. */
export const asked = ({ url }: Pick<Bare, 'url'>, name: string): string =>
  url.searchParams.get(name)?.trim().slice(0, 255) ?? '';

/** A parameter of the address that must be one of the words. Undefined for another text. */
export const askedOf = <Word extends string>(visit: Pick<Bare, 'url'>, name: string, words: readonly Word[]) =>
  words.find((word) => word === asked(visit, name));

/** The page's own address with other parameters in its query. An empty value removes its parameter. */
export function hrefWith({ url }: Pick<Bare, 'url'>, others: Parameters): string {
  const query = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries(others)) value === '' ? query.delete(name) : query.set(name, value);
  return `?${query}`;
}

/** Fills the parameters of the page's own path into another path. */
export const filledPath = (visit: Bare, path: string): string => pathWith(path, parameters(visit));

/** Headers that let an operation run once, however often its form is sent. */
export const keyed = ({ form }: Bare) => ({ headers: { 'idempotency-key': form.text('key') } });

/** Headers of a change to the version that the form showed. */
const ofVersion = ({ form }: Bare) => ({ headers: { 'if-match': form.text('version') } });

/** Hidden fields of each form: the token of the session, and a key that makes a second sending harmless. */
export const formFields = (formToken: string) => ({ form_token: formToken, key: randomUUID() });

/** Name and attributes of the session's cookie. With `__Host-`, no other host and no plain HTTP can set it. */
export function sessionCookie({ publicUrl }: Pick<ConsoleDeps, 'publicUrl'>) {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-malote-session' : 'malote-session';
  return { name, options: { path: '/', httpOnly: true, sameSite: 'strict', secure } as const };
}

/** Makes the action of a form: it calls the operation, with a body if any, and redirects to `next`. */
export const calling =
  <Name extends OperationName>(
    operation: Name,
    next: string,
    done = 'saved',
    bodyOf?: (visit: Visit) => BodyOf<Name> & object,
  ) =>
  async (visit: Visit): Promise<string> => {
    const headers = operation.startsWith('POST') ? keyed(visit) : visit.form.has('version') && ofVersion(visit);
    await visit.ask(operation, { ...headers, ...(bodyOf && { body: bodyOf(visit) }) });
    return `${filledPath(visit, next)}?done=${done}`;
  };

const MAX_STATE_BYTES = 16_777_216;

const kindOf = (value: unknown): string => (Array.isArray(value) ? 'list' : typeof value);

/**
 * Keeps the state of work that needs several forms. Each page sends the state to the browser, sealed for the session,
 * and the next form returns it. No process keeps it. `sample` shows the shape, so that the state of another version is
 * recognized.
 */
export function carrierOf<State extends object>(purpose: string, sample: State) {
  const isState = (value: unknown): value is State =>
    isFields(value) && Object.entries(sample).every(([name, part]) => kindOf(value[name]) === kindOf(part));
  const aadOf = ({ formToken }: Visit) => `console ${purpose} ${formToken}`;
  const opened = (visit: Visit): Buffer => {
    try {
      return open(visit.deps.encryptionKeys, Buffer.from(visit.form.text('progress'), 'base64url'), aadOf(visit));
    } catch (error) {
      throw unreadable(error);
    }
  };
  return {
    packed: async (state: State, visit: Visit): Promise<string> => {
      const bytes = await promisify(deflateRaw)(JSON.stringify(state));
      return seal(visit.deps.encryptionKeys, bytes, aadOf(visit)).toString('base64url');
    },
    /**
     * Reads the state. Throws MALFORMED_REQUEST, before parsing, for a text that `packed` did not make in this session.
     */
    unpacked: async (visit: Visit): Promise<State> => {
      const sent = opened(visit);
      const bytes = await promisify(inflateRaw)(sent, { maxOutputLength: MAX_STATE_BYTES });
      const state = parseJson(bytes.toString());
      if (!isState(state)) throw unreadable();
      return state;
    },
  };
}
