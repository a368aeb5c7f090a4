import { randomUUID } from 'node:crypto';

/** What a call was answered, where the answer has no business to show a secret. */
export interface Shown {
  call: string;
  text: string;
}

export interface Call {
  token?: string;
  authorization?: string;
  /** Sent as JSON unless it is a string. */
  body?: unknown;
}

export interface Client {
  /** Calls that may not show a secret, so far. */
  shown: Shown[];
  /** The answer's text. */
  ask(method: string, path: string, call?: Call): Promise<string>;
  /** The same, kept to be searched. */
  show(method: string, path: string, call?: Call): Promise<string>;
  /** A secret that stands in an answer under `field`, and is to be searched from now on under `name`. */
  learn(name: string, field: string, text: string): string;
}

export function canaryClient(url: string, learned: Map<string, string>): Client {
  const shown: Shown[] = [];

  const ask: Client['ask'] = async (method, path, { token, authorization, body } = {}) => {
    const credentials = token === undefined ? authorization : `Bearer ${token}`;
    const headers = {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      ...(credentials !== undefined && { authorization: credentials }),
    };
    const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    return (await fetch(`${url}${path}`, { method, headers, ...content })).text();
  };

  const show: Client['show'] = async (method, path, call) => {
    const text = await ask(method, path, call);
    shown.push({ call: `${method} ${path}`, text });
    return text;
  };

  const learn: Client['learn'] = (name, field, text) => {
    const value = new RegExp(`"${field}":\\s*"([^"]+)"`).exec(text)?.[1];
    if (value === undefined) throw new Error(`no ${field} in ${text.slice(0, 300)}`);
    learned.set(name, value);
    return value;
  };

  return { shown, ask, show, learn };
}
