/**
 * Folder of contracts, data and assets: of the project, or `dist/`, which has the same folders. The build puts this
 * module two folders deep, too (scripts/build.ts).
 */
export const root = new URL('../../', import.meta.url);
