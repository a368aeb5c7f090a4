import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { LinkLine, TextLink } from '../design/pieces.js';
import { ending, plainEndings } from '../session/ending.js';
import type { Route } from '../session/place.js';
import { accessTexts, memberTexts as texts } from '../texts.js';
import { useVisit, type Visit } from '../visit.js';

// Handles the second factors of the people of an account. The pages to set one up are in session/.

const RULE_PAGE = '/envios/second-factor-rule';
const OWN_REMOVAL_PAGE = '/envios/second-factor/removal';
const RULE = 'PUT /api/v1/second-factor-rule';
const OWN_REMOVAL = 'POST /api/v1/members/me/second-factor/removal';

/** Shown next to an active second factor: how to remove it with a code. */
export const OwnFactor = ({ say }: Visit) => [
  <p>{say(texts.factorLost)}</p>,
  <LinkLine href={OWN_REMOVAL_PAGE} text={texts.removeFactor} />,
];

/** Removes the person's own second factor. This ends the session, too. */
export const ownRemoval: Route = {
  page: ({ say }) => (
    <Page title={texts.removeFactor}>
      <PostForm action={OWN_REMOVAL_PAGE} operation={OWN_REMOVAL} submit={texts.removeFactor} kind="danger">
        <p>{say(texts.removeOwnHint)}</p>
        <Field
          name="code"
          label={accessTexts.code}
          hint={accessTexts.codeHint}
          isRequired
          autocomplete="one-time-code"
        />
      </PostForm>
    </Page>
  ),
  work: async ({ ask, form }) => {
    const headers = { 'idempotency-key': form.text('key') };
    await ask(OWN_REMOVAL, { headers, body: { code: form.text('code') } });
    return '/envios/sign-in?factorRemoved';
  },
};

const ofMember = plainEndings('/envios/members', async ({ ask }) => (await ask('GET /api/v1/members/{id}')).name);
export const memberRemoval = ofMember(
  texts.removeFactor,
  'DELETE /api/v1/members/{id}/second-factor',
  texts.removeFactorHint,
);

const accountName = async ({ ask }: Visit) => (await ask('GET /api/v1/users/me')).name;

/** Demands a second factor of everybody in the account. This ends the session, too. */
export const demand = ending({
  submit: texts.demand,
  operation: RULE,
  back: '/envios/members',
  about: async (visit) => ({ subject: await accountName(visit), consequences: [texts.demandEnds, texts.demandHint] }),
  work: async ({ ask }) => {
    await ask(RULE, { body: { required: true } });
    return '/envios/sign-in?demanded';
  },
});

export const release = ending({
  submit: texts.release,
  operation: RULE,
  back: '/envios/members',
  body: { required: false },
  about: async (visit) => ({ subject: await accountName(visit), consequences: [texts.releaseHint] }),
});

/** Says whether the account demands second factors, with a link that changes the rule for owners. */
export function FactorRule({ isRequired }: { isRequired: boolean }) {
  const { say } = useVisit();
  const [path, text] = isRequired ? [`${RULE_PAGE}/removal`, texts.release] : [RULE_PAGE, texts.demand];
  return (
    <p class="send">
      {say(isRequired ? texts.isDemanded : texts.isNotDemanded)}
      <TextLink href={path} text={text} kind="button secondary" />
    </p>
  );
}
