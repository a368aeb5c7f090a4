/** The sign-in form of the explorer (src/rest/docs.ts): every "Try it out" then carries the token. */

const form = document.querySelector('#sign-in');
const outcome = form.querySelector('output');

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  outcome.textContent = 'Signing in …';
  outcome.textContent = await signIn(Object.fromEntries(new FormData(form))).catch(
    () => 'The service does not answer. Try again.',
  );
});

/** What came of it, in words. */
async function signIn({ email, password }) {
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
}
