import { Readable } from 'node:stream';

/** A JSON body that is made while it is sent. Its one list is read page by page, so a long list costs no memory. */
export class JsonStream<Body> {
  /** Exists only for the type checker: the type of the body. */
  declare protected readonly body: Body;
  readonly bytes: Readable;

  constructor(parts: AsyncIterable<string>) {
    this.bytes = Readable.from(parts, { objectMode: false });
  }
}

/** Makes an object of `head`, the list and `tail`. `tail` is made after the end of the list. */
export const streamJson = <Head extends object, Name extends string, Item extends object, Tail extends object>(
  head: Head,
  name: Name,
  pages: AsyncIterable<readonly Item[]>,
  tail: () => Tail,
): JsonStream<Head & Record<Name, Item[]> & Tail> => new JsonStream(partsOf(head, name, pages, tail));

/** Converts each item of the pages. */
export async function* mappedPages<Item, Other>(
  pages: AsyncIterable<readonly Item[]>,
  toOther: (item: Item) => Other,
): AsyncGenerator<Other[]> {
  for await (const items of pages) yield items.map(toOther);
}

async function* partsOf(
  head: object,
  name: string,
  pages: AsyncIterable<readonly object[]>,
  tail: () => object,
): AsyncGenerator<string> {
  const begin = JSON.stringify(head).slice(0, -1);
  let before = `${begin}${begin === '{' ? '' : ','}${JSON.stringify(name)}:[`;
  for await (const items of pages) {
    if (items.length === 0) continue;
    yield before + JSON.stringify(items).slice(1, -1);
    before = ',';
  }
  const end = JSON.stringify(tail()).slice(1);
  yield `${before === ',' ? '' : before}]${end === '}' ? '' : ','}${end}`;
}
