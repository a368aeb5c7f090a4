import {
  type CallToolResult,
  fromJsonSchema,
  type JsonSchemaType,
  type jsonSchemaValidator,
  type McpServer,
} from '@modelcontextprotocol/server';
import type { ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { fieldsOf, isFields } from '../../base/values.js';
import { formats, wrongFields } from '../../validation/field-errors.js';
import { documents } from '../contract.js';
import { CommandError, RefusedError } from '../errors.js';
import type { Client } from '../remote/client.js';
import { visibleLines } from '../terminal.js';
import { type Described, extended, parameter, shown, shownSchema } from './schemas.js';

interface Outcome<Out> {
  /** A few lines, for hosts that do not read the structured part. */
  text: string;
  structured: Out;
}

interface ToolSpec<Args, Taken, Out> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Described<Args>;
  readonly output: Described<Out>;
  readonly run: (access: Access, args: Taken) => Promise<Outcome<Out>>;
}

/** The interfaces, with the rights of the credentials. */
export interface Access extends Client {
  /** True if D accepts the credentials. */
  readonly isOperator: boolean;
}

export interface Tool {
  readonly writes: boolean;
  readonly register: (server: McpServer, access: Access) => void;
}

export const reading = <Args, Out>(spec: ToolSpec<Args, Args, Out>): Tool => ({
  writes: false,
  register: (server, access) =>
    register(server, access, spec, { readOnlyHint: true, idempotentHint: true, openWorldHint: false }),
});

/**
 * Makes a tool that changes something, once per idempotency key. A destructive tool removes something; others only add.
 */
export const writing = <Args, Out>(
  spec: ToolSpec<Args, Args & { idempotency_key: string }, Out> & { destructive: boolean },
): Tool => ({
  writes: true,
  register: (server, access) => {
    const { destructive: destructiveHint, ...others } = spec;
    const input = extended(spec.input, { idempotency_key: parameter<string>('IdempotencyKey') });
    const hints = { readOnlyHint: false, destructiveHint, idempotentHint: true, openWorldHint: false };
    register(server, access, { ...others, input }, hints);
  },
});

type Hints = Readonly<Record<`${string}Hint`, boolean>>;

function register<Args, Out>(server: McpServer, access: Access, spec: ToolSpec<Args, Args, Out>, annotations: Hints) {
  const { name, title, description, run } = spec;
  const inputSchema = fromJsonSchema<Args>(fieldsOf(spec.input), validator);
  const outputSchema = fromJsonSchema<unknown>(fieldsOf(shownSchema(spec.output)), validator);
  server.registerTool(name, { title, description, annotations, inputSchema, outputSchema }, (args) =>
    run(access, args).then((outcome) => succeeded(outcome, args), failed),
  );
}

function succeeded({ text, structured }: Outcome<unknown>, args: unknown): CallToolResult {
  const structuredContent = fieldsOf(shown(structured, isFields(args) && args['phones'] === true));
  return { content: [{ type: 'text', text: visibleLines(text) }], structuredContent };
}

/** Advice for an agent, by error code of the service. */
const advice: Readonly<Record<string, string>> = {
  VALIDATION_ERROR:
    'Correct the fields that are named and call again, with a new idempotency_key if the tool takes one.',
  UNAUTHENTICATED: 'Ask the person to correct the credentials of this server.',
  FORBIDDEN: 'These credentials may not do this: ask the person.',
  NOT_FOUND: 'Check the code for a mistake in typing; what belongs to another account is not found either.',
  CONFLICT: 'Look at the record with `find` before you do anything else.',
  IDEMPOTENCY_KEY_REUSED: 'Take a new idempotency_key for a new request.',
  RATE_LIMITED: 'Wait as long as it says, and ask for less.',
  INTERNAL_ERROR: 'Call again later, with the same idempotency_key: it is not done twice.',
  UNAVAILABLE: 'Call again later, with the same idempotency_key: it is not done twice.',
};

/** Reports a refusal to the agent. Throws any other error, which the SDK then reports as an error of the tool. */
function failed(error: unknown): CallToolResult {
  if (!(error instanceof CommandError)) throw error;
  const todo = error instanceof RefusedError ? advice[error.code ?? ''] : undefined;
  const text = visibleLines([error.message, todo].filter(Boolean).join('\n'));
  return { isError: true, content: [{ type: 'text', text }] };
}

const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true, formats: { ...formats } });
addFormats.default(ajv);

const MAX_FAULTS = 20;

/** Compiles a schema at its first use, and describes mistakes in the words of the service. */
const validator: jsonSchemaValidator = {
  getValidator: <T>(schema: JsonSchemaType) => {
    let check: ValidateFunction<T> | undefined;
    return (input: unknown) => {
      check ??= ajv.compile<T>(schema);
      if (check(input)) return { valid: true, data: input, errorMessage: undefined };
      const faults = wrongFields(check.errors, documents.operator);
      const more = faults.length > MAX_FAULTS ? [`and ${faults.length - MAX_FAULTS} more`] : [];
      return { valid: false, data: undefined, errorMessage: [...faults.slice(0, MAX_FAULTS), ...more].join('; ') };
    };
  },
};
