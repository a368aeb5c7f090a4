import { plainDate } from '../../dates.js';
import { Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Card, factList, TextLink } from '../../design/pieces.js';
import { type Column, Listing, pageQuery } from '../../design/tables.js';
import type { Form } from '../../forms.js';
import { type BodyOf, RefusalError } from '../../operations.js';
import { consoleTexts, packageTexts, userTexts as texts } from '../../texts.js';
import { calling, type Schemas, type Visit } from '../../visit.js';
import { DateText, NumberText, Say, Time } from '../../written.js';
import { Named, type Names, namesOf } from '../names.js';

const PATH = '/console/erasures';
const ERASURE = 'POST /operator/v1/recipient-erasures';

type Erasure = Schemas['Erasure'];

const columnsOf = (names: Names): readonly Column<Erasure>[] => [
  [texts.requestedAt, ({ requested_at: at }) => <Time at={at} />],
  [texts.erased, ({ kind }) => <Say text={kind === 'recipients' ? texts.recipients : texts.erasedAccount} />],
  [texts.about, ({ user_id: id, before }) => (id ? <Named {...{ id, names }} /> : before && <Time at={before} />)],
  [texts.orders, ({ orders }) => orders !== undefined && <NumberText of={orders} />, 'number'],
  [texts.finishedAt, ({ finished_at: at }) => at && <Time at={at} />],
];

/** Lists erasures, with a form that asks for the last day of the recipients to erase. */
export async function showErasures(visit: Visit) {
  const list = await visit.ask('GET /operator/v1/erasures', { query: pageQuery(visit) });
  const names = await namesOf(
    visit,
    list.data.map(({ user_id: id }) => id),
  );
  return (
    <Page title={texts.erasures}>
      <Card title={texts.eraseRecipients}>
        <PostForm action={`${PATH}/count`} operation={ERASURE} submit={texts.countFirst} kind="secondary">
          <p>{visit.say(texts.eraseRecipientsHint)}</p>
          <Field name="before" type="date" label={texts.endedBefore} isRequired />
        </PostForm>
      </Card>
      <Listing caption={texts.erasures} columns={columnsOf(names)} list={list} />
    </Page>
  );
}

/** The first moment of the day in São Paulo. */
const beforeOf = ({ text }: Form): string => `${plainDate(text('before'))}T00:00:00-03:00`;

/** Shows how many recipients would be erased, and asks for a proof of the operator's identity. */
export async function countErasable(visit: Visit) {
  const { ask, say, form } = visit;
  const counts = await ask(ERASURE, { body: { before: beforeOf(form), dry_run: true } });
  const before = plainDate(form.text('before'));
  const beside = <TextLink href={PATH} text={consoleTexts.keepIt} />;
  return (
    <Page title={texts.eraseRecipients}>
      <div class="card confirmation">
        <p>{say(texts.eraseForGood)}</p>
        {factList([
          [texts.endedBefore, <DateText at={before} />],
          [texts.orders, [counts.more && '≥ ', <NumberText of={counts.orders} />]],
          [texts.packages, <NumberText of={counts.packages} />],
          [texts.pickups, <NumberText of={counts.pickups} />],
        ])}
        <PostForm
          action={PATH}
          operation={ERASURE}
          submit={texts.eraseRecipients}
          kind="danger"
          {...{ beside }}
          hidden={{ before }}
        >
          <Field
            name="current_password"
            type="password"
            label={packageTexts.ownPassword}
            autocomplete="current-password"
          />
          <Field name="code" label={packageTexts.ownCode} inputMode="numeric" autocomplete="one-time-code" />
        </PostForm>
      </div>
    </Page>
  );
}

/** Reads the proof. The operation accepts an erasure without a proof, but this page does not. */
function proofOf({ text, optional }: Form): Pick<BodyOf<typeof ERASURE>, 'current_password' | 'code'> {
  const [password, code] = [text('current_password'), optional('code')];
  if (password === '' && code === undefined)
    throw new RefusalError('FORBIDDEN', 'reauthentication_required', 'Send the password or a code.');
  return { current_password: password || undefined, code };
}

export const eraseRecipients = calling(ERASURE, PATH, 'saved', ({ form }) => ({
  before: beforeOf(form),
  dry_run: false,
  ...proofOf(form),
}));
