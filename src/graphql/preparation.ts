import { type GraphQLError, getOperationAST } from 'graphql';
import type { OperationArgs, RequestParams } from 'graphql-http';
import { ServiceError } from '../base/errors.js';
import type { Context, GraphqlDeps } from './context.js';
import { createDocuments } from './documents.js';
import { errorOf } from './errors.js';
import { type Exchange, fail } from './exchange.js';
import { demandPermission } from './permission.js';
import { executableSchema } from './schema.js';
import { fieldsIn, fragmentsOf } from './selections.js';
import { variableCheck } from './variables.js';

type Preparation = (exchange: Exchange, params: RequestParams) => OperationArgs<Context> | readonly GraphQLError[];

/** Everything between a request and its execution: what it asks for is known, valid, within the limits and permitted. */
export function preparation(deps: GraphqlDeps): Preparation {
  const schema = executableSchema(deps);
  const prepare = createDocuments(schema);
  const wrongIn = variableCheck(schema);
  return (exchange, { query, operationName, variables }) => {
    const prepared = prepare(query);
    if ('errors' in prepared) return prepared.errors;
    const { document } = prepared;
    try {
      const operation = getOperationAST(document, operationName);
      if (!operation)
        throw new ServiceError('VALIDATION_ERROR', 'The operationName must name one operation of the document.');
      const fields = fieldsIn(fragmentsOf(document), [operation.selectionSet]);
      demandPermission(fields, exchange.context);
      const wrong = wrongIn(operation, variables);
      if (wrong) return [wrong];
      exchange.listsOrders = fields.some(({ name }) => name.value === 'orders');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fail(exchange, error);
      return [errorOf(error)];
    }
    return { schema, document, operationName, variableValues: variables, contextValue: exchange.context };
  };
}
