import type { Router } from 'express';
import { Field, PostForm } from '../design/forms.js';
import { operationsFor, RefusalError } from '../operations.js';
import { refusalText, memberTexts as texts } from '../texts.js';
import { type Bare, param } from '../visit.js';
import type { Admission } from './place.js';
import { Outside } from './sign-in.js';

// A member chooses a password at the link of an invitation. The address contains the secret.

/** Adds the page behind the links of members. */
export function addPasswordLink(router: Router, { outside }: Admission): void {
  router.get('/envios/password/:token', outside(showChoice));
  router.post('/envios/password/:token', outside(choosePassword));
}

export const NewPassword = () => (
  <Field
    name="password"
    type="password"
    label={texts.newPassword}
    hint={texts.passwordHint}
    isRequired
    maxLength={128}
    autocomplete="new-password"
  />
);

const showChoice = ({ url }: Bare, refusal?: RefusalError) => (
  <Outside title={texts.choosePassword} failure={refusal && refusalText(refusal)}>
    <PostForm action={url.pathname} submit={texts.setPassword}>
      <NewPassword />
    </PostForm>
  </Outside>
);

async function choosePassword(visit: Bare) {
  const { deps, req, res, form } = visit;
  const body = { token: param(visit, 'token'), password: form.text('password') };
  try {
    await operationsFor(deps.app, req, '', {}).ask('POST /auth/password-change', { body });
  } catch (error) {
    if (!(error instanceof RefusalError)) throw error;
    res.status(error.code === 'UNAUTHENTICATED' ? 401 : 400);
    return showChoice(visit, error);
  }
  return '/envios/sign-in?chosen';
}
