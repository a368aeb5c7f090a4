import type { ErrorRequestHandler } from 'express';
import { type ErrorCode, type ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { leaveUnread } from '../http/body/unread-body.js';
import { reportError } from '../http/errors.js';
import { requestFields } from '../http/server/request-log.js';
import { TopBar } from './design/frame.js';
import { LinkLine } from './design/pieces.js';
import { Document, sendPage } from './page.js';
import { afterPause, languageOf, notices, reasons, type Text } from './texts.js';

/** The texts of an error page. */
interface Notice {
  title: Text;
  text?: Text;
}

const missing: Notice = { title: notices.missing, text: notices.missingText };
const failed: Notice = { title: notices.failed, text: notices.failedText };

const start = { href: '/', text: notices.home };

type Notices = Partial<Readonly<Record<ErrorCode, Notice>>>;

function noticeFor({ code, headers }: ServiceError, own: Notices = {}): Notice {
  if (statusOf(code) >= 500) return failed;
  return own[code] ?? (code === 'RATE_LIMITED' ? tooManyUntil(Number(headers['Retry-After'])) : missing);
}

const tooManyUntil = (seconds: number): Notice => ({
  title: notices.tooMany,
  text: afterPause(notices.tooManyText, seconds),
});

/** The error texts of one part of the pages. Its error pages also show the sentence for the reason, if there is one. */
interface Room {
  notices: Notices;
  /** The link of an error page back to its part. */
  home: { href: string; text: Text };
}

export const pageErrors =
  (log: Logger, room?: Room): ErrorRequestHandler =>
  (thrown: unknown, req, res, _next) => {
    const error = reportError(thrown, log, requestFields(req));
    if (res.headersSent) return void res.destroy();
    leaveUnread(req, res);
    res.set(error.headers).set('Cache-Control', 'no-store');
    const { title, text } = noticeFor(error, room?.notices);
    const language = languageOf(req);
    const message = room && reasons[error.reason]?.[language];
    const page = (
      <Document language={language} title={title[language]}>
        <TopBar />
        <main class="card outside">
          <h1>{title[language]}</h1>
          {text && <p>{text[language]}</p>}
          {message && (
            <p class="notice bad" role="alert">
              {message}
            </p>
          )}
          <LinkLine {...(room?.home ?? start)} kind="button" />
        </main>
      </Document>
    );
    sendPage(res, page, { status: statusOf(error.code) });
  };
