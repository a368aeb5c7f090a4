const breaches = new Set<string>();

/** Makes the test that runs fail, however it takes the answer. To throw would leave its request without one. */
export const noteBreach = (breach: string): void => void breaches.add(breach);

/** Fails when answers broke their contract since the last call. */
export function demandNoBreach(): void {
  const messages = [...breaches];
  breaches.clear();
  if (messages.length > 0) throw new Error(messages.join('\n'));
}
