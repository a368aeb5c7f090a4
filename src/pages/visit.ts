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
  /** Address of the service; by https, its cookies are sent by no other way. */
  publicUrl: string;
  /** Address of a map's tiles, for pages with a map. */
  mapTilesUrl?: string | undefined;
  /** Operators without a second factor set one up before anything else. */
  requireSecondFactor: boolean;
}

/** Where people of a role work: the paths of all of its pages begin so. */
export type Root = (typeof roots)[Session['role']];

const roots = { operator: '/console', customer: '/envios' } as const satisfies Record<Session['role'], string>;

export const rootOf = ({ role }: Pick<Session, 'role'>): Root => roots[role];

/** The links of a place, in groups; the first group needs no name. */
type Navigation = readonly (readonly [group: Text | undefined, links: Links])[];
type Links = readonly (readonly [path: string, name: Text])[];

/** Common parts of all pages of a place. */
export interface PlaceParts {
  home: Root;
  navigation: Navigation;
  searchLabel: Text;
  /** The page of one's own account. */
  account: string;
}

/** A request of a page, of anybody. */
export interface Bare {
  readonly place: PlaceParts;
  readonly deps: ConsoleDeps;
  readonly req: Request;
  readonly res: Response;
  readonly language: Language;
  readonly url: URL;
  readonly now: Date;
  readonly say: (text: Text) => string;
  /** Fields that were sent; on a GET there are none. */
  readonly form: Form;
}

/** A request of somebody who has signed in, at least with the password. */
export interface Visit extends Bare, Operations {
  readonly session: Session;
  /** Token of its forms, which proves that they are of this session. */
  readonly formToken: string;
  /** Why an operation refused the form. */
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
  // A session that is past the code was signed in with it.
  const withFactor = isAdmitted && hasSecondFactor;
  const token = identity.sessionToken({ accountId, role, epoch, member, withFactor, mustEnrol });
  const operations = operationsFor(app, bare.req, token, parameters(bare));
  return { ...bare, session, formToken: formTokenOf(session), ...operations };
}

const parameters = ({ req }: Bare): Parameters =>
  Object.fromEntries(Object.entries(req.params).map(([name, value]) => [name, String(value)]));

export const param = (visit: Bare, name: string): string => parameters(visit)[name] ?? '';

/** A text that the address asks for; empty without it. */
export const asked = ({ url }: Pick<Bare, 'url'>, name: string): string =>
  url.searchParams.get(name)?.trim().slice(0, 255) ?? '';

/** The same, of a list of words. */
export const askedOf = <Word extends string>(visit: Pick<Bare, 'url'>, name: string, words: readonly Word[]) =>
  words.find((word) => word === asked(visit, name));

/** The page's address with these parameters in its query; without those that are empty. */
export function hrefWith({ url }: Pick<Bare, 'url'>, others: Parameters): string {
  const query = new URLSearchParams(url.searchParams);
  for (const [name, value] of Object.entries(others)) value === '' ? query.delete(name) : query.set(name, value);
  return `?${query}`;
}

/** The path with the parameters of the page's own in the places of their names. */
export const filledPath = (visit: Bare, path: string): string => pathWith(path, parameters(visit));

/** Headers of an operation that is done once however often its form is sent. */
export const keyed = ({ form }: Bare) => ({ headers: { 'idempotency-key': form.text('key') } });

/** Headers of a change of the version that its form was made of. */
const ofVersion = ({ form }: Bare) => ({ headers: { 'if-match': form.text('version') } });

/** Fields of each form: it is of this session, and it is sent twice or is another one. */
export const formFields = (formToken: string) => ({ form_token: formToken, key: randomUUID() });

/** Name and attributes of the session's cookie; `__Host-` keeps other hosts and plain connections from setting it. */
export function sessionCookie({ publicUrl }: Pick<ConsoleDeps, 'publicUrl'>) {
  const secure = publicUrl.startsWith('https:');
  const name = secure ? '__Host-malote-session' : 'malote-session';
  return { name, options: { path: '/', httpOnly: true, sameSite: 'strict', secure } as const };
}

/** Work of a form: calls the operation, with a body if any; then leads to `next`. */
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
 * Work that goes on over several forms: its state goes to the browser with each page, sealed for the session, and comes
 * back with the next form. No process keeps it. `sample` tells the state of this version from that of another.
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
    /** Throws MALFORMED_REQUEST for a text that `packed` did not make in this session, before it is read. */
    unpacked: async (visit: Visit): Promise<State> => {
      const sent = opened(visit);
      const bytes = await promisify(inflateRaw)(sent, { maxOutputLength: MAX_STATE_BYTES });
      const state = parseJson(bytes.toString());
      if (!isState(state)) throw unreadable();
      return state;
    },
  };
}
