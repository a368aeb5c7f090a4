/**
 * Tracking codes and barcodes, made from the number that the sequence `package_number` gives a package. A bijection
 * makes them unique without looking, and scatters neighbours so that one code does not tell the next.
 */

const crockford = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** Crockford's five further symbols for a check value, which is modulo 37. */
const checkSymbols = `${crockford}*~$=U`;

interface Domain {
  left: number;
  right: number;
}

/** 55 bits: eleven characters of base 32. */
const trackingDomain: Domain = { left: 2 ** 27, right: 2 ** 28 };
/** Seventeen digits. */
const barcodeDomain: Domain = { left: 10 ** 8, right: 10 ** 9 };

/** Twelve characters: eleven of Crockford's base 32 and his check symbol. `number` is below 2^55. */
export function trackingCodeOf(number: bigint): string {
  const value = scatter(number, trackingDomain);
  const symbols = Array.from({ length: 11 }, (_, at) => crockford[Number((value >> BigInt(5 * (10 - at))) & 31n)]);
  return `${symbols.join('')}${checkSymbols[Number(value % 37n)]}`;
}

/** Eighteen digits, the last one the check digit of GS1 (General Specifications, 7.9.1). `number` is below 10^17. */
export function barcodeOf(number: bigint): string {
  const digits = scatter(number, barcodeDomain).toString().padStart(17, '0');
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const roundKeys = [0x243f6a88, 0x13198a2e, 0x299f31d0, 0x452821e6];

/** A Feistel network over `left × right`: each round adds a hash of one half to the other, which can be undone. */
function scatter(number: bigint, domain: Domain): bigint {
  let left = Number(number / BigInt(domain.right));
  let right = Number(number % BigInt(domain.right));
  if (number < 0n || left >= domain.left) throw new RangeError('the number is outside the domain of the code');
  for (const key of roundKeys) {
    left = (left + hash(right, key)) % domain.left;
    right = (right + hash(left, ~key)) % domain.right;
  }
  return BigInt(left) * BigInt(domain.right) + BigInt(right);
}

/** MurmurHash3's finalizer: 32 bits in, 32 well-mixed bits out. */
function hash(value: number, key: number): number {
  let mixed = value ^ key;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
