/** Keeps the answers to the most recently asked keys; a failed answer is not kept. */
export function rememberRecent<T>(limit: number, ask: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const recent = new Map<string, Promise<T>>();
  return (key) => {
    const kept = recent.get(key);
    recent.delete(key);
    const answer = kept ?? ask(key);
    recent.set(key, answer);
    if (kept === undefined) answer.catch(() => recent.get(key) === answer && recent.delete(key));
    const [oldest] = recent.keys();
    if (recent.size > limit && oldest !== undefined) recent.delete(oldest);
    return answer;
  };
}
