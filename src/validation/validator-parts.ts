/**
 * The parts of express-openapi-validator, and of its ajv, that are not exported by name. Its middleware cannot be used
 * as it is: it looks each route up anew, and keeps a validator for every spelling of Content-Type that a client sends.
 * The middleware checks with these ajv instances, which know OpenAPI's keywords and formats. Another version may have
 * moved them: test/contract/validator-parts.test.ts fails then.
 */
export { default as compiledNames } from 'ajv/dist/compile/names.js';
export { createRequestAjv, createResponseAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
export type { OpenAPIV3 } from 'express-openapi-validator/dist/framework/types.js';
