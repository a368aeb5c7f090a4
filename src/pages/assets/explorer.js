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

/** Parts of Swagger UI beside its operations, which are its main part. */
const parts = {
  '.topbar-wrapper': 'Contract',
  '.information-container': 'About the contract',
  '.schemes-server-container': 'Server',
};

/**
 * Mends Swagger UI for people who use a keyboard or a screen reader. The button of an operation opens it, so the link
 * within the button is taken out. Each choice gets a name.
 */
const mend = (root) => {
  for (const link of root.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
  for (const select of root.querySelectorAll('select:not([aria-label])')) {
    const { id, parentElement } = select;
    if (id === 'servers') select.setAttribute('aria-label', 'Server');
    else if (!parentElement.closest('label')) select.setAttribute('aria-label', select.name || 'Value');
  }
  // Sections are below the heading of the page and the title of the contract.
  for (const heading of root.querySelectorAll('h3.opblock-tag:not([aria-level])'))
    heading.setAttribute('aria-level', '2');
  for (const heading of root.querySelectorAll('h4:not([aria-level])')) heading.setAttribute('aria-level', '3');
  // The page has a banner and a way past it of its own.
  for (const bar of root.querySelectorAll('.topbar[role=banner]')) bar.setAttribute('role', 'group');
  for (const skip of root.querySelectorAll('.swagger-ui__skip-link')) skip.hidden = true;
  for (const [part, name] of Object.entries(parts))
    for (const element of root.querySelectorAll(`${part}:not([role])`)) {
      element.setAttribute('role', 'region');
      element.setAttribute('aria-label', name);
    }
};
const explorer = document.getElementById('swagger-ui');
new MutationObserver(() => mend(explorer)).observe(explorer, { childList: true, subtree: true });
