import { onSignIn } from './sign-in.js';

const LOGIN = 'mutation ($input: LoginInput!) { login(input: $input) { user { apiKey } } }';

async function ask(query, variables, headers) {
  const answer = await fetch('/graphql', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'application/json', ...headers },
    body: JSON.stringify({ query, variables }),
  });
  return answer.json();
}

/** Signs in at GraphiQL (src/graphql/graphiql.ts). Each operation then sends the key while the page is open. */
onSignIn(async ({ email, password, key }, form) => {
  const login = key === '' ? await ask(LOGIN, { input: { email, password } }) : undefined;
  if (login?.errors) return login.errors[0].message;
  if (login?.data.login.user === null)
    return 'The e-mail address or the password is wrong, or the phone is not confirmed.';
  const headers = { Authorization: `ApiKey ${email}:${login?.data.login.user.apiKey ?? key}` };
  const { errors } = await ask('{ me { email } }', {}, headers);
  if (errors) return errors[0].message;
  Object.assign(window.signedIn, headers);
  form.reset();
  return `Signed in as ${email}. Every operation from this page carries the key.`;
});

/** Gives the role of a tab to the button inside it, for people with a keyboard or a screen reader. */
const mend = (root) => {
  for (const item of root.querySelectorAll('li.graphiql-tab[aria-selected]')) {
    const button = item.querySelector('.graphiql-tab-button');
    button.setAttribute('role', 'tab');
    button.setAttribute('aria-selected', item.getAttribute('aria-selected'));
    item.setAttribute('role', 'presentation');
    item.removeAttribute('aria-selected');
  }
};
const page = document.getElementById('root');
new MutationObserver(() => mend(page)).observe(page, {
  childList: true,
  subtree: true,
  attributeFilter: ['aria-selected'],
});
