import type { ErrorRequestHandler, Request } from 'express';
import { type ErrorCode, statusOf } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import { reportError } from '../http/errors.js';
import { requestFields } from '../http/server/request-log.js';
import { type Language, languageOf, type Text } from './language.js';
import { Document, sendPage } from './page.js';

/** Title and text of a page in place of the one that was asked for. */
type Notice = Readonly<Record<Language, readonly [title: string, text?: string]>>;

const missing: Notice = {
  'pt-BR': ['Página não encontrada', 'Não há nada neste endereço. Confira se ele está completo.'],
  en: ['Page not found', 'There is nothing at this address. Check that it is complete.'],
};

const tooMany: Notice = {
  'pt-BR': ['Muitos acessos', 'Esta página foi aberta vezes demais na última hora. Tente de novo mais tarde.'],
  en: ['Too many requests', 'This page was opened too often in the last hour. Try again later.'],
};

const failed: Notice = {
  'pt-BR': ['Não foi possível abrir a página', 'O problema é nosso. Tente de novo em alguns minutos.'],
  en: ['The page cannot be shown', 'The problem is ours. Try again in a few minutes.'],
};

export type Notices = Partial<Readonly<Record<ErrorCode, Notice>>>;

function noticeFor(code: ErrorCode, notices: Notices): Notice {
  if (statusOf(code) >= 500) return failed;
  return notices[code] ?? (code === 'RATE_LIMITED' ? tooMany : missing);
}

interface Room {
  notices?: Notices;
  /** Shows the error's public message, too, to readers who know the interfaces. */
  showsMessage?: boolean;
  languageOf?: (req: Request) => Language;
  styles?: readonly string[];
  /** The way back into the room. */
  home?: { path: string; name: Text };
}

export const pageErrors =
  (log: Logger, room: Room = {}): ErrorRequestHandler =>
  (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    res.set(error.headers).set('Cache-Control', 'no-store');
    const notice = noticeFor(error.code, room.notices ?? {});
    const language = (room.languageOf ?? languageOf)(req);
    const message = room.showsMessage ? error.message : undefined;
    sendPage(res, <NoticePage {...{ notice, language, message }} {...room} />, { status: statusOf(error.code) });
  };

interface NoticeProps extends Pick<Room, 'styles' | 'home'> {
  notice: Notice;
  language: Language;
  message: string | undefined;
}

function NoticePage({ notice, language, message, home, styles = [] }: NoticeProps) {
  const [title, text] = notice[language];
  return (
    <Document language={language} title={title} styles={styles}>
      <main class="outside">
        <h1>{title}</h1>
        {text && <p>{text}</p>}
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
