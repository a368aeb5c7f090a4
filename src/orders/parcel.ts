import type { FieldError } from '../base/errors.js';
import type { Dimensions } from '../packages/package.js';
import { dimensionFaults } from '../products/dimensions.js';
import type { PackageInput } from './order.js';

/** Sizes and weights of the account's products, by id in lower case. */
export type ProductSizes = ReadonlyMap<string, Dimensions>;

export interface Parcel {
  /** Undefined where they cannot be known. */
  dimensions?: Dimensions;
  faults: FieldError[];
}

/** Size and weight of a package as given, or as its items make them. `path` is the package's. */
export function parcelOf({ dimensions, items = [] }: PackageInput, products: ProductSizes, path: string): Parcel {
  const hasItems = items.length > 0;
  if (hasItems === (dimensions !== undefined)) {
    return { faults: [{ field: path, message: 'must have exactly one of: dimensions, items' }] };
  }
  if (dimensions) return { dimensions, faults: dimensionFaults(dimensions, `${path}.dimensions`) };
  const pieces = items.map(({ productId, quantity }) => ({ size: products.get(productId.toLowerCase()), quantity }));
  const known = pieces.flatMap(({ size, quantity }) => (size ? [{ size, quantity }] : []));
  if (known.length === pieces.length) return together(stacked(known), `${path}.items`);
  const faults = pieces.flatMap(({ size }, at) =>
    size ? [] : [{ field: `${path}.items.${at}.productId`, message: 'is not a product of the account' }],
  );
  return { faults };
}

/** The faults of a derived size are faults of the items, which are all that the caller can change. */
function together(dimensions: Dimensions, field: string): Parcel {
  const faults = dimensionFaults(dimensions, 'size').map((fault) => {
    const [, name] = fault.field.split('.');
    return { field, message: `stacked: ${name === undefined ? '' : `${name} `}${fault.message}` };
  });
  return { dimensions, faults };
}

interface Pieces {
  size: Dimensions;
  quantity: number;
}

/**
 * Pieces lying on top of each other, each on its largest side: the height is the sum of the shortest sides, width and
 * length are the largest of the others (contracts/openapi.yaml, PackageInput).
 */
export function stacked(pieces: readonly Pieces[]): Dimensions {
  const lying = pieces.map(({ size, quantity }) => ({ ...lyingFlat(size), quantity }));
  return {
    width: Math.max(...lying.map(({ width }) => width)),
    height: tidy(lying.reduce((sum, { height, quantity }) => sum + height * quantity, 0)),
    length: Math.max(...lying.map(({ length }) => length)),
    weight: tidy(lying.reduce((sum, { weight, quantity }) => sum + weight * quantity, 0)),
  };
}

function lyingFlat({ width, height, length, weight }: Dimensions): Dimensions {
  const [shortest = height, middle = width, longest = length] = [width, height, length].sort((a, b) => a - b);
  return { width: middle, height: shortest, length: longest, weight };
}

/** Drops what binary fractions add: 3 × 0.1 is 0.3. */
function tidy(value: number): number {
  return Number(value.toPrecision(12));
}
