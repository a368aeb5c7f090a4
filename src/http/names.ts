/**
 * Field paths between the domain's camelCase and the contracts' snake_case: `packages.0.pickupIndex` ↔
 * `packages.0.pickup_index`.
 */
export const snakePath = (path: string): string =>
  path.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
