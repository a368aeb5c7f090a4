// Runs in Node's thread for module hooks, where no TypeScript is understood on every version.
const globals = new URL('./globals.ts', import.meta.url).href;

export const resolve = (specifier, context, next) => next(specifier === '@jest/globals' ? globals : specifier, context);
