import operatorDocument from '../../generated/operator.openapi.json' with { type: 'json' };
import { routes as operatorRoutes } from '../../generated/operator.routes.js';
import restDocument from '../../generated/rest.openapi.json' with { type: 'json' };
import { routes as restRoutes } from '../../generated/rest.routes.js';
import { type Fields, fieldsOf, listOf } from '../base/values.js';
import { resolve } from '../validation/document.js';

export const documents = { rest: restDocument, operator: operatorDocument };

export const routes = { ...restRoutes, ...operatorRoutes };

/** A parameter of an operation, or a property of its body. */
export interface InputField {
  name: string;
  place: 'path' | 'query' | 'body';
  description: unknown;
  schema: Fields;
  isRequired: boolean;
}

/** The fields that an operation takes. Headers are left out. */
export function inputOf(id: keyof typeof routes): InputField[] {
  const document = id in operatorRoutes ? operatorDocument : restDocument;
  const { method, path } = routes[id];
  const { parameters, requestBody } = fieldsAt(document, document, 'paths', path, method);
  const body = fieldsAt(document, requestBody, 'content', 'application/json', 'schema');
  const required = listOf(body['required']);
  return [
    ...listOf(parameters).flatMap((parameter): InputField[] => {
      const { name, in: place, required: isRequired, description, schema } = fieldsAt(document, parameter);
      if (place !== 'path' && place !== 'query') return [];
      const field = { name: String(name), place, description, isRequired: isRequired === true } as const;
      return [{ ...field, schema: fieldsAt(document, schema) }];
    }),
    ...Object.entries(fieldsAt(document, body['properties'])).map(([name, property]): InputField => {
      const schema = fieldsAt(document, property);
      return { name, place: 'body', description: schema['description'], schema, isRequired: required.includes(name) };
    }),
  ];
}

/** Follows the names to an object, also through references. Empty if it is missing. */
function fieldsAt(document: object, start: unknown, ...names: readonly string[]): Fields {
  const [name, ...others] = names;
  const fields = fieldsOf(resolve(document, start));
  return name === undefined ? fields : fieldsAt(document, fields[name], ...others);
}
