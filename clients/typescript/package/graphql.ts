import { type KeyedOptions, keyHeader, Resource } from './access.js';
import { type Answer, Call } from './call.js';
import { errorOf, isFields } from './errors.js';
import type { CallOptions } from './transport.js';

/**
 * Marks a document with the types of its result and variables, like GraphQL Code Generator (`documentMode: 'string'`).
 */
export interface DocumentTypeDecoration<Result, Variables> {
  __apiType?: (variables: Variables) => Result;
}

type Document<Result, Variables> = DocumentTypeDecoration<Result, Variables> & { toString(): string };

const QUERY = /^(?:\s|#.*)*(?:query\b|\{)/;
const BOTH_TYPES = 'application/graphql-response+json, application/json;q=0.9';

/** Sends GraphQL requests with the account's API key. */
export class GraphqlClient extends Resource {
  /**
   * Runs a document. Throws `MaloteError` for its `errors`. Errors inside a result (such as `success` and `errors` of
   * `createOrder`) do not throw. A mutation is sent again only if it was certainly not done.
   */
  execute<Result, Variables extends object>(
    document: Document<Result, Variables> | string,
    variables: Variables,
    options: CallOptions = {},
  ): Call<Result> {
    const answer = this.#send<Result>({ document, variables }, options);
    return new Call(() => answer);
  }

  /** Runs a document and returns one field of its result. */
  protected field<Result extends object, Variables extends object, Name extends keyof Result>(
    name: Name,
    request: { document: Document<Result, Variables>; variables: Variables; takesKey?: boolean },
    options: KeyedOptions = {},
  ): Call<Result[Name]> {
    const answer = this.#send<Result>(request, options).then(({ data, response }) => ({ data: data[name], response }));
    return new Call(() => answer);
  }

  async #send<Result>(
    request: { document: { toString(): string }; variables: object; takesKey?: boolean },
    options: KeyedOptions,
  ): Promise<Answer<Result>> {
    const { document, variables, takesKey = false } = request;
    const query = String(document);
    const sendable = {
      method: 'POST',
      path: '/graphql',
      body: { query, variables },
      headers: { Accept: BOTH_TYPES, ...(takesKey ? keyHeader(options) : {}) },
      session: this.access.graphql,
      isRepeatable: takesKey || QUERY.test(query),
    };
    const { data: body, response } = await this.access.transport.send(sendable, options);
    if (!isFields(body) || body['errors'] !== undefined) throw errorOf(response, body);
    return { data: body['data'] as Result, response };
  }
}
