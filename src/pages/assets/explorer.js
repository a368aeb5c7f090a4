import { onSignIn } from './sign-in.js';

/** The explorer (src/published/documents.ts): every "Try it out" then carries the token. */
onSignIn(async ({ email, password }, form) => {
  const answer = await fetch('/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { access_token, error } = await answer.json();
  if (!answer.ok) return error.message;
  // Both contracts call it so. Swagger UI sets itself as `ui` on the window.
  const bearerAuth = { name: 'bearerAuth', schema: { type: 'http', scheme: 'bearer' }, value: access_token };
  window.ui.authActions.authorizeWithPersistOption({ bearerAuth });
  form.reset();
  return `Signed in as ${email}. Every request from this page carries the token.`;
});
