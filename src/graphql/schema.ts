import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  assertObjectType,
  assertScalarType,
  assertValidSchema,
  buildSchema,
  DirectiveLocation,
  GraphQLDeprecatedDirective,
  GraphQLDirective,
  type GraphQLObjectType,
  GraphQLSchema,
  valueFromASTUntyped,
} from 'graphql';
import type { Order, OrderConnection, Waypoint } from '../../generated/graphql.js';
import { sdl } from '../../generated/schema.js';
import { wholeMillisecond } from '../base/clock.js';
import { invalid } from '../base/errors.js';
import { noteSubject } from '../base/telemetry/tracing.js';
import { isDateTime } from '../validation/field-errors.js';
import { entryOf } from './audit.js';
import { ruleCheck } from './constraints.js';
import type { Context, GraphqlDeps } from './context.js';
import { argumentsReader } from './input-readings.js';
import { rootResolvers } from './resolvers.js';

type Field = ReturnType<GraphQLObjectType['getFields']>[string];
type Resolve = NonNullable<Field['resolve']>;

interface PacedEdge {
  cursor: string;
  node: Promise<Order> | undefined;
}

/**
 * Builds the contract's schema with its resolvers. The fields of a query are resolved one after another, and so are the
 * orders of a list.
 */
export function executableSchema(deps: GraphqlDeps): GraphQLSchema {
  const schema = withKnownLocations(buildSchema(sdl));
  assertValidSchema(schema);
  const { Query, Mutation } = rootResolvers(deps, schema);
  const guarded =
    (resolve: Resolve): Resolve =>
    (parent, args, context: Context, info) =>
      deps.bulkhead.run(info.fieldName, context.actor?.accountId, async () => resolve(parent, args, context, info));
  const inTurn =
    (resolve: Resolve): Resolve =>
    (parent, args, context: Context, info) =>
      context.inTurn(async () => resolve(parent, args, context, info));
  attach(schema, schema.getQueryType(), Query, (resolve) => inTurn(guarded(resolve)));
  const withEntry =
    (resolve: Resolve): Resolve =>
    (parent, args, context: Context, info) => {
      const { actor, requestId } = context;
      const entry = actor && entryOf(info.fieldName, args, actor, requestId);
      const { loggiKey } = entry?.targets ?? {};
      if (loggiKey !== undefined) noteSubject(context.origin, { loggiKeys: [loggiKey] });
      return resolve(parent, args, { ...context, ...(entry && { entry }) }, info);
    };
  attach(schema, schema.getMutationType(), Mutation, (resolve) => guarded(withEntry(resolve)));
  const { edges } = assertObjectType(schema.getType('OrderConnection')).getFields();
  if (edges) edges.resolve = pacedEdges;
  const { node } = assertObjectType(schema.getType('OrderEdge')).getFields();
  if (node) node.resolve = promisedNode;
  const { etaTime } = assertObjectType(schema.getType('Waypoint')).getFields();
  if (etaTime) etaTime.resolve = storedTime;
  const time = assertScalarType(schema.getType('DateTime'));
  time.parseValue = readTime;
  time.parseLiteral = (node) => readTime(valueFromASTUntyped(node));
  return schema;
}

/**
 * Removes a location of `@deprecated` that no edition of the specification has yet. Clients refuse unknown locations.
 */
function withKnownLocations(schema: GraphQLSchema): GraphQLSchema {
  const { locations, ...deprecated } = GraphQLDeprecatedDirective.toConfig();
  const known = locations.filter((location) => location !== DirectiveLocation.DIRECTIVE_DEFINITION);
  const others = schema.getDirectives().filter(({ name }) => name !== deprecated.name);
  const directives = [...others, new GraphQLDirective({ ...deprecated, locations: known })];
  return new GraphQLSchema({ ...schema.toConfig(), directives });
}

function attach(
  schema: GraphQLSchema,
  type: GraphQLObjectType | null | undefined,
  resolvers: Readonly<Record<string, Resolve>>,
  wrap: (resolve: Resolve) => Resolve,
): void {
  for (const field of Object.values(type?.getFields() ?? {})) {
    const resolve = resolvers[field.name];
    if (!resolve) throw new Error(`The field ${field.name} has no resolver.`);
    field.resolve = wrap(checked(schema, field, resolve));
  }
}

function checked(schema: GraphQLSchema, { args }: Field, resolve: Resolve): Resolve {
  const checks = args.map((arg) => ({ name: arg.name, check: ruleCheck(schema, arg) }));
  const read = argumentsReader(schema, args);
  return (parent, values, context, info) => {
    read(values);
    const errors = checks.flatMap(({ name, check }) => check(values[name], name));
    if (errors.length > 0) throw invalid(errors);
    return resolve(parent, values, context, info);
  };
}

/** The time of a waypoint. Answers that release 1.4 stored for an idempotency key have only `eta`. */
const storedTime = ({ eta, etaTime }: Partial<Waypoint>): string =>
  etaTime ?? new Date((eta ?? Number.NaN) * 1000).toISOString();

const MAX_TIME_LENGTH = 40;

function readTime(value: unknown): Date {
  if (typeof value === 'string' && value.length <= MAX_TIME_LENGTH && isDateTime(value)) return wholeMillisecond(value);
  throw new TypeError('is not a time');
}

/**
 * Paces the orders of a list, so that other requests are served in between. An order counts one, plus one per package.
 */
function pacedEdges({ edges }: OrderConnection): PacedEdge[] {
  const nodes = paced(
    edges.map(({ node }) => node),
    ({ packages }) => packages.length + 1,
  );
  return edges.map(({ cursor }, at) => ({ cursor, node: nodes[at] }));
}

/**
 * Resolves the order of an edge. It needs its own resolver, because a compiled document awaits only promises of
 * resolvers.
 */
const promisedNode = ({ node }: PacedEdge) => node;

const OBJECTS_OF_A_TURN = 20;

/** Gives the entries of a list in several turns of the event loop. Small entries share a turn. */
export function paced<T>(entries: readonly T[], sizeOf: (entry: T) => number): Promise<T>[] {
  let turn: Promise<unknown> = Promise.resolve();
  let room = 0;
  return entries.map((entry) => {
    const size = sizeOf(entry);
    if (size > room) {
      turn = turn.then(() => nextTurn());
      room = OBJECTS_OF_A_TURN;
    }
    room -= size;
    return turn.then(() => entry);
  });
}
