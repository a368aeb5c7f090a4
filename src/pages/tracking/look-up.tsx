import { type Request, Router } from 'express';
import { lookUpBudgets, spendAttempt } from '../../accounts/login-budget.js';
import { tooManyFailures } from '../../base/errors.js';
import type { Logger } from '../../base/telemetry/log.js';
import type { Db } from '../../db/connect.js';
import type { Bulkhead } from '../../http/bulkhead.js';
import { inPublicTurn } from '../../http/limits/in-flight.js';
import type { Limits } from '../../http/limits/rate-limit.js';
import { noteOperation } from '../../http/server/request-log.js';
import { lookUpPackage } from '../../packages/public-tracking.js';
import type { TrackingLinks } from '../../packages/tracking-links.js';
import { readings } from '../../validation/readings.js';
import { TopBar } from '../design/frame.js';
import { pageErrors } from '../errors.js';
import { Document, sendPage } from '../page.js';
import { type Language, languageOf, type Text, trackingTexts as texts } from '../texts.js';

const LOOK_UP_PATH = '/rastreio';

export interface LookUpDeps {
  db: Db;
  log: Logger;
  trackingLinks: TrackingLinks;
  limits: Pick<Limits, 'trackingByIp' | 'inFlight'>;
  bulkhead: Bulkhead;
}

/** Finds a package by tracking code and CEP: `GET /rastreio`. Redirects to its public view. */
export function lookUpRouter(deps: LookUpDeps): Router {
  const router = Router({ caseSensitive: true });
  router.get(LOOK_UP_PATH, deps.limits.trackingByIp, async (req, res) => {
    noteOperation(req, 'pages', 'lookUpPackage');
    res.set('Cache-Control', 'no-store');
    const { code = '', cep } = req.query;
    const page = { language: languageOf(req), code: String(code).slice(0, MAX_CHARACTERS) };
    if (cep === undefined) return sendPage(res, <LookUpPage {...page} />);
    const path = await inPublicTurn(deps.limits.inFlight, req, () => pathOf(deps, req, String(cep)));
    if (path !== undefined) return res.redirect(303, path);
    sendPage(res, <LookUpPage {...page} problem={{ title: texts.lookUp, text: texts.notFound }} />, { status: 404 });
  });
  return router.use(pageErrors(deps.log));
}

const MAX_CHARACTERS = 40;

/** The path of the public view. Undefined for an unknown code, a wrong CEP, or texts that are neither. */
async function pathOf({ db, bulkhead, trackingLinks }: LookUpDeps, req: Request, cep: string) {
  const trackingCode = readings.tracking_code(String(req.query['code']).slice(0, MAX_CHARACTERS));
  const postalCode = readings.postal_code(cep.slice(0, MAX_CHARACTERS));
  if (!/^[0-9A-Z]{12}$/.test(trackingCode) || !/^\d{8}$/.test(postalCode)) return undefined;
  let url: string | undefined;
  const attempt = await bulkhead.run('lookUpPackage', undefined, () =>
    spendAttempt(db, lookUpBudgets(trackingCode, req.ip ?? ''), async () => {
      const linked = await lookUpPackage(db, { trackingCode, postalCode });
      url = linked && trackingLinks.urlOf(linked, 'public');
      return url !== undefined;
    }),
  );
  if (!attempt.granted) throw tooManyFailures(attempt);
  return url && new URL(url).pathname;
}

interface LookUpProps {
  language: Language;
  code?: string;
  problem?: { title: Text; text: Text };
}

/** Shows the form. It also replaces a missing page, and then says what to do. */
export function LookUpPage({ language, code = '', problem }: LookUpProps) {
  const say = (text: Text) => text[language];
  const title = say(problem?.title ?? texts.lookUp);
  return (
    <Document {...{ language, title }} description={say(texts.lookUpText)} isPrivate={problem !== undefined}>
      <TopBar {...(code !== '' && { query: { code } })} />
      <main class="page">
        <h1>{title}</h1>
        {problem && (
          <p class="lead" role="alert">
            {say(problem.text)}
          </p>
        )}
        <section class="card" aria-labelledby="look-up">
          <p id="look-up">{say(texts.lookUpText)}</p>
          <form action={LOOK_UP_PATH}>
            <input type="hidden" name="lang" value={language} />
            <div class="field">
              <label for="code">{say(texts.code)}</label>
              <input id="code" name="code" value={code} maxLength={MAX_CHARACTERS} autocomplete="off" required />
            </div>
            <div class="field">
              <label for="cep">{say(texts.deliveryPostalCode)}</label>
              <input id="cep" name="cep" inputMode="numeric" maxLength={10} autocomplete="postal-code" required />
            </div>
            <div class="send">
              <button type="submit">{say(texts.follow)}</button>
            </div>
          </form>
        </section>
      </main>
    </Document>
  );
}
