/** Handles the sign-in form of an explorer page. `signIn` gets the fields and returns the result as a sentence. */
export function onSignIn(signIn) {
  const form = document.querySelector('#sign-in');
  const outcome = form.querySelector('output');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    outcome.textContent = 'Signing in …';
    outcome.textContent = await signIn(Object.fromEntries(new FormData(form)), form).catch(
      () => 'The service does not answer. Try again.',
    );
  });
}
