import { Router } from 'express';
import type { Logger } from '../base/log.js';
import { noteOperation } from '../http/server/request-log.js';
import { TRACKING_PATH } from '../packages/tracking-links.js';
import { TopBar } from './design/index.js';
import { pageErrors } from './errors.js';
import { type Language, languageOf, type Text } from './language.js';
import { Document, sendPage } from './page.js';
import { startTexts as texts } from './texts.js';

/** `GET /`: three entrances. Its form sends `link`, and is answered with the way to the page of that package. */
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

/** Token of a tracking link, which may be pasted as an address, a path, or the token alone. */
const tokenIn = (link: string): string | undefined => /^(?:\S*\/t\/)?([\w-]{52})(?:\?\S*)?$/.exec(link.trim())?.[1];

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
          <section class="card" aria-labelledby="ship">
            <h2 id="ship">{say(texts.ship)}</h2>
            <p>{say(texts.shipText)}</p>
            <ul>
              <Entrance to="/envios">{say(texts.shipper)}</Entrance>
            </ul>
          </section>
          <section class="card" aria-labelledby="integrate">
            <h2 id="integrate">{say(texts.integrate)}</h2>
            <p>{say(texts.integrateText)}</p>
            <ul>
              <Entrance to="/docs/guide/quickstart">{say(texts.quickstart)}</Entrance>
              <Entrance to="/docs/guide/">{say(texts.guide)}</Entrance>
              <Entrance to="/docs">{say(texts.explorer)}</Entrance>
              <Entrance to="/graphql">{say(texts.graphiql)}</Entrance>
            </ul>
          </section>
          <section class="card" aria-labelledby="operate">
            <h2 id="operate">{say(texts.operate)}</h2>
            <p>{say(texts.operateText)}</p>
            <ul>
              <Entrance to="/console">{say(texts.console)}</Entrance>
            </ul>
          </section>
        </div>
      </main>
    </Document>
  );
}

const Entrance = ({ to, children }: { to: string; children: string }) => (
  <li>
    <a href={to}>{children}</a>
  </li>
);
