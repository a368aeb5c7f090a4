/**
 * The folder of contracts, data and assets: the project's, or `dist/` with the same folders. The build places this
 * module two folders deep as well (scripts/build.ts).
 */
export const root = new URL('../../', import.meta.url);
