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

/** GraphiQL (src/graphql/graphiql.ts): every operation then carries the key, for as long as the page is open. */
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
