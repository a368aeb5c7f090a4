/**
 * The parts of express-openapi-validator and its ajv that it does not export by name. Its middleware looks up each
 * route again, and keeps a validator for every spelling of Content-Type that a client sends, so it is not used. Its ajv
 * instances know the keywords and formats of OpenAPI. If another version moves them,
 * test/contract/validator-parts.test.ts fails.
 */
export { default as compiledNames } from 'ajv/dist/compile/names.js';
export { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
export type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
