/**
 * The folder of contracts, data and assets: the project's folder, or `dist/` with the same subfolders. The build keeps
 * this module two folders deep (scripts/build.ts).
 */
export const root = new URL('../../', import.meta.url);
