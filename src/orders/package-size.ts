import { type Dimensions, dimensionErrors } from '../base/dimensions.js';
import type { FieldError } from '../base/errors.js';
import type { PackageInput } from './order.js';
import type { ProductSizes } from './order-facts.js';

export interface PackageSize {
  /** Undefined where they cannot be known. */
  dimensions?: Dimensions;
  errors: FieldError[];
}

/** Size and weight of a package as given, or as its items make them. `path` is the package's. */
export function packageSize(input: PackageInput, products: ProductSizes, path: string): PackageSize {
  const { dimensions, items = [] } = input;
  const hasItems = items.length > 0;
  if (hasItems === (dimensions !== undefined)) {
    return { errors: [{ field: path, message: 'must have exactly one of: dimensions, items' }] };
  }
  if (dimensions) return { dimensions, errors: dimensionErrors(dimensions, `${path}.dimensions`) };
  const pieces = items.map(({ productId, quantity }) => ({ size: products.get(productId.toLowerCase()), quantity }));
  const sized = pieces.flatMap(({ size, quantity }) => (size ? [{ size, quantity }] : []));
  if (sized.length === pieces.length) return stackedSize(sized, `${path}.items`);
  const errors = pieces.flatMap(({ size }, at) =>
    size ? [] : [{ field: `${path}.items.${at}.productId`, message: 'is not a product of the account' }],
  );
  return { errors };
}

/** What is wrong with a derived size is an error of the items, which are all that the client can change. */
function stackedSize(pieces: readonly Pieces[], field: string): PackageSize {
  const dimensions = stacked(pieces);
  const errors = dimensionErrors(dimensions, 'size').map((error) => {
    const [, name] = error.field.split('.');
    return { field, message: `stacked: ${name === undefined ? '' : `${name} `}${error.message}` };
  });
  return { dimensions, errors };
}

interface Pieces {
  size: Dimensions;
  quantity: number;
}

/**
 * Pieces lying on top of each other, each on its largest side: the height is the sum of the shortest sides, width and
 * length are the largest of the others (contracts/openapi.yaml, PackageInput).
 */
function stacked(pieces: readonly Pieces[]): Dimensions {
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
