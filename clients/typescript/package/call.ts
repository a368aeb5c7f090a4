import type { Pagination } from './contract.js';

/**
 * A value, and the answer that it came in: its status and headers, such as `ETag` and `X-Request-Id`. Its body has been
 * read.
 */
export interface Answer<T> {
  readonly data: T;
  readonly response: Response;
}

/** A request under way: a promise of the value. `withResponse()` is a promise of value and answer. */
export class Call<T> implements Promise<T> {
  readonly [Symbol.toStringTag] = 'Call';
  readonly #answer: () => Promise<Answer<T>>;

  constructor(answer: () => Promise<Answer<T>>) {
    this.#answer = answer;
  }

  withResponse(): Promise<Answer<T>> {
    return this.#answer();
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<Done = T, Failed = never>(
    done?: ((value: T) => Done | PromiseLike<Done>) | null,
    failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#answer()
      .then(({ data }) => data)
      .then(done, failed);
  }

  catch<Failed = never>(failed?: ((reason: unknown) => Failed | PromiseLike<Failed>) | null): Promise<T | Failed> {
    return this.then(undefined, failed);
  }

  finally(ended?: (() => void) | null): Promise<T> {
    return this.then().finally(ended);
  }
}

/** A page of a list. */
export interface PageOf<Item> {
  data: Item[];
  pagination: Pagination;
  /** With a list of changes. */
  next_cursor?: string;
  has_more?: boolean;
}

/** Where to read a list. */
export interface PageQuery {
  page?: number;
  page_size?: number;
  /** Lists what changed since, where the list has it, in the order of the changes; `cursor` goes on from there. */
  updated_from?: string;
  cursor?: string;
}

const MAX_PAGE_SIZE = 100;

/**
 * A list: `await` gives one page, `for await` every record from there to the end, in pages of 100 unless `page_size`
 * says otherwise. Nothing is sent before one of them begins.
 */
export class ListCall<Item, Page extends PageOf<Item>> extends Call<Page> implements AsyncIterable<Item> {
  readonly #read: (query: PageQuery) => Promise<Answer<Page>>;
  readonly #query: PageQuery;

  constructor(query: PageQuery, read: (query: PageQuery) => Promise<Answer<Page>>) {
    let first: Promise<Answer<Page>> | undefined;
    super(() => {
      first ??= read(query);
      return first;
    });
    this.#read = read;
    this.#query = query;
  }

  /**
   * With a list of changes, store a page's `next_cursor` after handling the page: it is the `cursor` of the next call.
   */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    if (this.#query.updated_from !== undefined || this.#query.cursor !== undefined) return yield* this.#changes();
    const { page: first = 1, page_size = MAX_PAGE_SIZE } = this.#query;
    for (let page = first; ; page += 1) {
      const { data: answer } = await this.#read({ ...this.#query, page, page_size });
      yield answer;
      if (answer.data.length === 0 || page >= answer.pagination.total_pages) return;
    }
  }

  async *#changes(): AsyncGenerator<Page, void, undefined> {
    let query: PageQuery = { page_size: MAX_PAGE_SIZE, ...this.#query };
    for (;;) {
      const { data: page } = await this.#read(query);
      yield page;
      if (!page.has_more) return;
      const { updated_from: _, ...others } = query;
      query = { ...others, ...(page.next_cursor !== undefined && { cursor: page.next_cursor }) };
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }
}

/** A page of a list of GraphQL, as Relay's connections are. */
export interface Connection<Node> {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** Where to read a list of GraphQL. */
export interface ConnectionQuery {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/**
 * A list of GraphQL: `await` gives one page, `for await` every record from there to the end, which no new record moves.
 */
export class ConnectionCall<Node, Page extends Connection<Node>> extends Call<Page> implements AsyncIterable<Node> {
  readonly #read: (query: ConnectionQuery) => Call<Page>;
  readonly #query: ConnectionQuery;

  constructor(query: ConnectionQuery, read: (query: ConnectionQuery) => Call<Page>) {
    let first: Call<Page> | undefined;
    super(() => {
      first ??= read(query);
      return first.withResponse();
    });
    this.#read = read;
    this.#query = query;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Node, void, undefined> {
    let { after } = this.#query;
    for (;;) {
      const { edges, pageInfo } = await this.#read({ first: MAX_PAGE_SIZE, ...this.#query, after });
      for (const { node } of edges) yield node;
      if (!pageInfo.hasNextPage) return;
      after = pageInfo.endCursor;
    }
  }
}
