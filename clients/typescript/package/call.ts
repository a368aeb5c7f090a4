import type { Pagination } from './contract.js';

/**
 * A value and the HTTP answer with its status and headers, such as `ETag` and `X-Request-Id`. The body has already been
 * read.
 */
export interface Answer<T> {
  readonly data: T;
  readonly response: Response;
}

/** A request under way. It is a promise of the value; `withResponse()` returns a promise of value and HTTP answer. */
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
  /** Present in a list of changes. */
  next_cursor?: string;
  has_more?: boolean;
}

/** The part of a list to read. */
export interface PageQuery {
  page?: number;
  page_size?: number;
  /** Lists only changes since this time, in their order, if the list supports it. `cursor` continues such a list. */
  updated_from?: string;
  cursor?: string;
}

const MAX_PAGE_SIZE = 100;

/**
 * A list. `await` returns one page. `for await` returns every record from there to the end, in pages of `page_size`
 * (100 by default). Nothing is sent before one of them begins.
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
   * Reads page by page. With a list of changes, handle a page first, then store its `next_cursor` as the `cursor` of
   * the next call.
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

/** A page of a GraphQL list, in the form of a Relay connection. */
export interface Connection<Node> {
  edges: { node: Node }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

/** The part of a GraphQL list to read. */
export interface ConnectionQuery {
  first?: number | null | undefined;
  after?: string | null | undefined;
}

/**
 * A GraphQL list. `await` returns one page. `for await` returns every record from there to the end; new records do not
 * shift it.
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
