/** Swagger UI over both contracts, and the sign-in form of its page (src/rest/docs.ts). */

const { SwaggerUIBundle, SwaggerUIStandalonePreset } = window;

window.ui = SwaggerUIBundle({
  dom_id: '#swagger-ui',
  urls: [
    { url: '/docs/openapi.json', name: 'REST' },
    { url: '/docs/operator.openapi.json', name: 'Operator' },
  ],
  deepLinking: true,
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  plugins: [SwaggerUIBundle.plugins.DownloadUrl],
  layout: 'StandaloneLayout',
  // Otherwise the page asks a validator on the public internet.
  validatorUrl: null,
  persistAuthorization: true,
});

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
  // Both contracts call it so.
  const bearerAuth = { name: 'bearerAuth', schema: { type: 'http', scheme: 'bearer' }, value: access_token };
  window.ui.authActions.authorizeWithPersistOption({ bearerAuth });
  form.reset();
  return `Signed in as ${email}. Every request from this page carries the token.`;
}
