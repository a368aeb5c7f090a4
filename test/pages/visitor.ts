import type { Login } from '../support/http.js';

export interface Seen {
  status: number;
  /** The path and the query after redirects. */
  path: string;
  headers: Headers;
  text: string;
}

export type Fields = Readonly<Record<string, string>>;

const MAX_REDIRECTS = 5;

/** A browser without scripts: it keeps cookies, follows redirects and sends the forms of the page that it shows. */
export class Visitor {
  readonly cookies = new Map<string, string>();
  page: Seen = { status: 0, path: '', headers: new Headers(), text: '' };

  constructor(
    private readonly url: string,
    private readonly headers: Fields = {},
  ) {}

  get(path: string): Promise<Seen> {
    return this.request('GET', path);
  }

  post(path: string, fields: Fields = {}): Promise<Seen> {
    return this.request('POST', path, new URLSearchParams(fields));
  }

  /** Sends the form of the current page with this action, with its values and `fields`. */
  submit(action: string, fields: Fields = {}): Promise<Seen> {
    return this.post(action, { ...this.held(action), ...fields });
  }

  /** Opens the page that asks before something ends, and sends its form. */
  async end(path: string, fields: Fields = {}): Promise<Seen> {
    await this.get(path);
    return this.submit(path, fields);
  }

  /** Sends the form of the current page with this action, and a file in its field `file`. */
  upload(action: string, name: string, content: string | Buffer, fields: Fields = {}): Promise<Seen> {
    const form = new FormData();
    for (const [field, value] of Object.entries({ ...this.held(action), ...fields })) form.set(field, value);
    form.set('file', new File([Uint8Array.from(Buffer.from(content))], name));
    return this.request('POST', action, form);
  }

  /** Hidden fields, inputs with a value and selected options of the form. */
  held(action: string): Fields {
    const forms = [...this.page.text.matchAll(/<form method="post" action="([^"]+)"[^>]*>(.*?)<\/form>/gs)];
    const body = forms.find(([, path]) => path === action)?.[2];
    if (body === undefined) throw new Error(`${this.page.path} has no form that goes to ${action}`);
    // A browser sends a checkbox only when it is ticked.
    const inputs = [...body.matchAll(/<input (?![^>]*type="checkbox"(?![^>]* checked))[^>]*>/g)].map(
      ([input]) => input,
    );
    const held = inputs.map((input): [string, string] => [attribute(input, 'name'), attribute(input, 'value')]);
    const selected = [...body.matchAll(/<select [^>]*>.*?<\/select>/gs)].map(([select]): [string, string] => [
      attribute(select, 'name'),
      attribute(/<option [^>]*\bselected\b[^>]*>/.exec(select)?.[0] ?? '', 'value'),
    ]);
    return Object.fromEntries([...held, ...selected]);
  }

  async signIn({ email, password }: Login): Promise<Seen> {
    await this.get('/console/sign-in');
    return this.post('/console/sign-in', { email, password });
  }

  private async request(
    method: string,
    path: string,
    body?: URLSearchParams | FormData,
    left = MAX_REDIRECTS,
  ): Promise<Seen> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(new URL(path, this.url), {
      method,
      redirect: 'manual',
      headers: { ...this.headers, ...(cookie && { cookie }) },
      ...(body && { body }),
    });
    for (const line of answer.headers.getSetCookie()) this.keep(line);
    const location = answer.headers.get('location');
    const text = await answer.text();
    if (location !== null && left > 0) return this.request('GET', location, undefined, left - 1);
    this.page = { status: answer.status, path, headers: answer.headers, text };
    return this.page;
  }

  private keep(line: string): void {
    const [pair = ''] = line.split(';', 1);
    const [name = '', value = ''] = pair.split('=');
    if (/expires=thu, 01 jan 1970/i.test(line)) this.cookies.delete(name);
    else this.cookies.set(name, value);
  }
}

const entities: Fields = { '&quot;': '"', '&amp;': '&', '&lt;': '<', '&#39;': "'" };

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replace(
    /&(quot|amp|lt|#39);/g,
    (entity) => entities[entity] ?? '',
  );
