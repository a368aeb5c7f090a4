import { Router } from 'express';
import type { Logger } from '../base/telemetry/log.js';
import { noteOperation } from '../http/server/request-log.js';
import { TRACKING_PATH } from '../packages/tracking-links.js';
import { TopBar } from './design/frame.js';
import { TextLink } from './design/pieces.js';
import { pageErrors } from './errors.js';
import { Document, sendPage } from './page.js';
import { consoleTexts, guideTexts, type Language, languageOf, type Text, startTexts as texts } from './texts.js';

/** Serves the start page with three entrances: `GET /`. Its form sends a tracking `link` and redirects to that page. */
export function startRouter({ log }: { log: Logger }): Router {
  const router = Router({ caseSensitive: true, strict: true });
  router.get('/', (req, res) => {
    noteOperation(req, 'pages', 'start');
    const { link } = req.query;
    const language = languageOf(req);
    if (link === undefined) return sendPage(res, <StartPage language={language} />);
    res.set('Cache-Control', 'no-store');
    const token = tokenIn(String(link));
    if (token !== undefined) return res.redirect(303, `${TRACKING_PATH}${token}`);
    sendPage(res, <StartPage language={language} isRefused />, { status: 422 });
  });
  router.use(pageErrors(log));
  return router;
}

/** Reads the token of a tracking link. The link may be an address, a path, or only the token. */
const tokenIn = (link: string): string | undefined => /^(?:\S*\/t\/)?([\w-]{52})(?:\?\S*)?$/.exec(link.trim())?.[1];

const entrances = [
  { id: 'ship', text: texts.shipText, links: [['/envios', texts.shipper]] },
  {
    id: 'integrate',
    text: texts.integrateText,
    links: [
      ['/docs/guide/quickstart', texts.quickstart],
      ['/docs/guide/', guideTexts.guide],
      ['/docs', guideTexts.explorer],
      ['/graphql', guideTexts.graphiql],
    ],
  },
  { id: 'operate', text: texts.operateText, links: [['/console', consoleTexts.console]] },
] as const;

function StartPage({ language, isRefused = false }: { language: Language; isRefused?: boolean }) {
  const say = (text: Text): string => text[language];
  return (
    <Document language={language} title="Malote" description={say(texts.title)}>
      <TopBar />
      <main class="start">
        <h1 class="display">{say(texts.title)}</h1>
        <section class="card" aria-labelledby="follow">
          <h2 id="follow">{say(texts.follow)}</h2>
          <form action="/">
            <div class={isRefused ? 'field wrong' : 'field'}>
              <label for="link">{say(texts.link)}</label>
              <div class="send">
                <input
                  {...{ id: 'link', name: 'link', maxLength: 2048, autocomplete: 'off', required: true }}
                  aria-describedby={isRefused ? 'refused hint' : 'hint'}
                  aria-invalid={isRefused || undefined}
                />
                <button type="submit">{say(texts.send)}</button>
              </div>
              {isRefused && (
                <p class="error" id="refused" role="alert">
                  {say(texts.refused)}
                </p>
              )}
              <p class="hint" id="hint">
                {say(texts.linkHint)} <a href="/rastreio">{say(texts.lookUp)}</a>
              </p>
            </div>
          </form>
        </section>
        <div class="entrances">
          {entrances.map(({ id, text, links }) => (
            <section class="card" aria-labelledby={id}>
              <h2 id={id}>{say(texts[id])}</h2>
              <p>{say(text)}</p>
              <ul>
                {links.map(([href, name]) => (
                  <li>
                    <TextLink href={href} text={name} />
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </main>
    </Document>
  );
}
