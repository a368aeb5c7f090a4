import { Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { TextLink } from '../../design/pieces.js';
import { consoleTexts, packageTexts as texts } from '../../texts.js';
import { calling, filledPath, type Visit } from '../../visit.js';

const REOPENING = 'POST /operator/v1/packages/{loggi_key}/reopening';
const PAGE = '/console/packages/{loggi_key}';

/** Asks why a final status was a mistake, and asks for the operator's proof. */
export async function showReopening(visit: Visit) {
  const { ask, say, url } = visit;
  const { tracking_code: code } = await ask('GET /operator/v1/packages/{loggi_key}');
  const beside = <TextLink href={filledPath(visit, PAGE)} text={consoleTexts.keepIt} />;
  const password = { type: 'password', autocomplete: 'current-password' } as const;
  return (
    <Page title={`${say(texts.reopen)}: ${code}`}>
      <div class="card confirmation">
        <p>{say(texts.reopenHint)}</p>
        <PostForm action={url.pathname} operation={REOPENING} submit={texts.reopen} kind="danger" beside={beside}>
          <Field name="reason" label={texts.reason} isRequired maxLength={255} />
          <Field name="current_password" label={texts.ownPassword} {...password} />
          <Field name="code" label={texts.ownCode} inputMode="numeric" autocomplete="one-time-code" />
        </PostForm>
      </div>
    </Page>
  );
}

export const reopenPackage = calling(REOPENING, PAGE, 'saved', ({ form }) => ({
  reason: form.text('reason').trim(),
  current_password: form.optional('current_password') && form.text('current_password'),
  code: form.optional('code'),
}));
