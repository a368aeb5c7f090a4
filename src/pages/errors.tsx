import type { ErrorRequestHandler, Request } from 'express';
import { type ErrorCode, statusOf } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import { reportError } from '../http/errors.js';
import { requestFields } from '../http/server/request-log.js';
import { type Language, languageOf, type Text } from './language.js';
import { Document, sendPage } from './page.js';

/** What a page says in place of what was asked for. */
interface Notice {
  title: Text;
  text?: Text;
}

const missing: Notice = {
  title: { 'pt-BR': 'Página não encontrada', en: 'Page not found' },
  text: {
    'pt-BR': 'Não há nada neste endereço. Confira se ele está completo.',
    en: 'There is nothing at this address. Check that it is complete.',
  },
};

const tooMany: Notice = {
  title: { 'pt-BR': 'Muitos acessos', en: 'Too many requests' },
  text: {
    'pt-BR': 'Esta página foi aberta vezes demais na última hora. Tente de novo mais tarde.',
    en: 'This page was opened too often in the last hour. Try again later.',
  },
};

const failed: Notice = {
  title: { 'pt-BR': 'Não foi possível abrir a página', en: 'The page cannot be shown' },
  text: {
    'pt-BR': 'O problema é nosso. Tente de novo em alguns minutos.',
    en: 'The problem is ours. Try again in a few minutes.',
  },
};

export type Notices = Partial<Readonly<Record<ErrorCode, Notice>>>;

function noticeFor(code: ErrorCode, notices: Notices): Notice {
  if (statusOf(code) >= 500) return failed;
  return notices[code] ?? (code === 'RATE_LIMITED' ? tooMany : missing);
}

interface Room {
  /** In the room's own words, where it has some. */
  notices?: Notices;
  /** For those who know the interfaces: the error's public message, too. */
  showsMessage?: boolean;
  languageOf?: (req: Request) => Language;
  styles?: readonly string[];
  /** The way back into the room. */
  home?: { path: string; name: Text };
}

/** Last handler of a room: what was thrown becomes a page. */
export function pageErrors(log: Logger, room: Room = {}): ErrorRequestHandler {
  return (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    res.set(error.headers).set('Cache-Control', 'no-store');
    const notice = noticeFor(error.code, room.notices ?? {});
    const language = (room.languageOf ?? languageOf)(req);
    const message = room.showsMessage ? error.message : undefined;
    sendPage(res, <NoticePage {...{ notice, language, message, room }} />, { status: statusOf(error.code) });
  };
}

interface NoticeProps {
  notice: Notice;
  language: Language;
  message: string | undefined;
  room: Room;
}

function NoticePage({ notice: { title, text }, language, message, room: { home, styles = [] } }: NoticeProps) {
  return (
    <Document language={language} title={title[language]} styles={styles}>
      <main class="outside">
        <h1>{title[language]}</h1>
        {text && <p>{text[language]}</p>}
        {message && (
          <p class="notice bad" role="alert" lang="en">
            {message}
          </p>
        )}
        {home && (
          <p>
            <a href={home.path}>{home.name[language]}</a>
          </p>
        )}
      </main>
    </Document>
  );
}
