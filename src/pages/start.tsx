import { Router } from 'express';
import type { Logger } from '../base/log.js';
import { noteOperation } from '../http/server/request-log.js';
import { TRACKING_PATH } from '../packages/tracking-links.js';
import { pageErrors } from './errors.js';
import { type Language, languageOf, type Text } from './language.js';
import { Document, OtherLanguage, sendPage } from './page.js';

const texts = {
  title: { 'pt-BR': 'Entregas, da coleta ao destinatário', en: 'Deliveries, from pickup to recipient' },
  language: { 'pt-BR': 'Idioma', en: 'Language' },
  integrate: { 'pt-BR': 'Integrar', en: 'Integrate' },
  integrateText: {
    'pt-BR': 'Crie pedidos por REST ou GraphQL e receba no seu sistema cada movimento dos pacotes.',
    en: 'Create orders by REST or GraphQL, and receive each movement of their packages in your own system.',
  },
  quickstart: { 'pt-BR': 'Primeiros passos', en: 'Quickstart' },
  guide: { 'pt-BR': 'Guia do integrador', en: 'Guide for integrators' },
  explorer: { 'pt-BR': 'Testar a API REST', en: 'Try the REST API' },
  graphiql: { 'pt-BR': 'Testar GraphQL', en: 'Try GraphQL' },
  follow: { 'pt-BR': 'Acompanhar um pacote', en: 'Follow a package' },
  link: { 'pt-BR': 'Link de rastreio', en: 'Tracking link' },
  linkHint: {
    'pt-BR': 'O remetente envia o link. O código da etiqueta sozinho não basta, para proteger quem recebe.',
    en: 'The sender has the link for you. To protect recipients, the code on the label is not enough.',
  },
  send: { 'pt-BR': 'Acompanhar', en: 'Follow' },
  refused: {
    'pt-BR': 'Isto não é um link de rastreio. Cole o link completo que o remetente enviou.',
    en: 'This is not a tracking link. Paste the whole link that the sender gave you.',
  },
  operate: { 'pt-BR': 'Operar', en: 'Operate' },
  operateText: {
    'pt-BR': 'Pacotes, clientes, preços e problemas, para quem trabalha na transportadora.',
    en: 'Packages, customers, prices and trouble, for the people of the carrier.',
  },
  console: { 'pt-BR': 'Console do operador', en: "Operator's console" },
} as const satisfies Record<string, Text>;

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
    <Document language={language} title="Malote" description={say(texts.title)} styles={['start.css']}>
      <header class="top">
        <p>Malote</p>
        <nav aria-label={say(texts.language)}>
          <OtherLanguage />
        </nav>
      </header>
      <main>
        <h1>{say(texts.title)}</h1>
        <section aria-labelledby="integrate">
          <h2 id="integrate">{say(texts.integrate)}</h2>
          <p>{say(texts.integrateText)}</p>
          <ul>
            <Entrance to="/docs/guide/quickstart">{say(texts.quickstart)}</Entrance>
            <Entrance to="/docs/guide/">{say(texts.guide)}</Entrance>
            <Entrance to="/docs">{say(texts.explorer)}</Entrance>
            <Entrance to="/graphql">{say(texts.graphiql)}</Entrance>
          </ul>
        </section>
        <section aria-labelledby="follow">
          <h2 id="follow">{say(texts.follow)}</h2>
          <form action="/">
            <label for="link">{say(texts.link)}</label>
            <input id="link" name="link" maxLength={2048} autocomplete="off" aria-describedby="hint" required />
            <button type="submit">{say(texts.send)}</button>
          </form>
          {isRefused && (
            <p class="refused" role="alert">
              {say(texts.refused)}
            </p>
          )}
          <p id="hint">{say(texts.linkHint)}</p>
        </section>
        <section aria-labelledby="operate">
          <h2 id="operate">{say(texts.operate)}</h2>
          <p>{say(texts.operateText)}</p>
          <ul>
            <Entrance to="/console">{say(texts.console)}</Entrance>
          </ul>
        </section>
      </main>
    </Document>
  );
}

const Entrance = ({ to, children }: { to: string; children: string }) => (
  <li>
    <a href={to}>{children}</a>
  </li>
);
