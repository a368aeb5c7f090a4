import { buildSchema } from 'graphql';
import { sdl } from './contract-files.js';
import { MISFIT, MISSING, type Snippet, snippetsAbout } from './snippet.js';

const preamble = (type: string, field: string): string => `
import type { RootResolvers } from '../../generated/graphql.js';
type Resolvers = RootResolvers<{ accountId: string }>['${type}'];
declare const all: Resolvers;
declare const others: Omit<Resolvers, '${field}'>;
`;

function fieldSnippets(type: string, field: string): Snippet[] {
  const { right, wrong } = snippetsAbout(`graphql ${type}.${field}`, preamble(type, field));
  const built = (resolver: string) => `export const built: Resolvers = { ...others, ${field}: ${resolver} };`;
  return [
    right('resolver in its place', built(`all.${field}`)),
    right(
      'typed context',
      built(`(parent, args, { accountId }, info) => all.${field}(parent, args, { accountId }, info)`),
    ),
    wrong('missing resolver', 'export const built: Resolvers = others;', MISSING),
    wrong('wrong result', built('async () => ({ nothing: true })'), MISFIT),
    wrong(
      'unknown argument',
      built(`(_: unknown, args: { nothing: string }) => { throw new Error(args.nothing); }`),
      MISFIT,
    ),
  ];
}

/** Resolvers of every field of the two root types. */
export function graphqlSnippets(): Snippet[] {
  const schema = buildSchema(sdl);
  return [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).flatMap((field) => fieldSnippets(type?.name ?? '', field)),
  );
}
