import { onSignIn } from './sign-in.js';

/** Signs in at the explorer (src/published/documents.ts). After that, each "Try it out" sends the token. */
onSignIn(async ({ email, password }, form) => {
  const answer = await fetch('/auth/login', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const { access_token, error } = await answer.json();
  if (!answer.ok) return error.message;
  // Both contracts name their security scheme `bearerAuth`. Swagger UI stores itself as `window.ui`.
  const bearerAuth = { name: 'bearerAuth', schema: { type: 'http', scheme: 'bearer' }, value: access_token };
  window.ui.authActions.authorizeWithPersistOption({ bearerAuth });
  form.reset();
  return `Signed in as ${email}. Every request from this page carries the token.`;
});

/** Names of the parts of Swagger UI around its operations. */
const parts = {
  '.topbar-wrapper': 'Contract',
  '.information-container': 'About the contract',
  '.schemes-server-container': 'Server',
};

/**
 * Makes Swagger UI usable with a keyboard or a screen reader. A button opens each operation, so the link inside the
 * button is removed. Each choice gets a name.
 */
const mend = (root) => {
  for (const link of root.querySelectorAll('.opblock-summary-control a[href]')) link.removeAttribute('href');
  for (const select of root.querySelectorAll('select:not([aria-label])')) {
    const { id, parentElement } = select;
    if (id === 'servers') select.setAttribute('aria-label', 'Server');
    else if (!parentElement.closest('label')) select.setAttribute('aria-label', select.name || 'Value');
  }
  // The headings of sections come below the heading of the page and the title of the contract.
  for (const heading of root.querySelectorAll('h3.opblock-tag:not([aria-level])'))
    heading.setAttribute('aria-level', '2');
  for (const heading of root.querySelectorAll('h4:not([aria-level])')) heading.setAttribute('aria-level', '3');
  // The page already has a banner and a link past it.
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
