import { createCipheriv } from 'node:crypto';

export interface Halves {
  left: number;
  right: number;
}

const ROUNDS = 10;
const BLOCK_BYTES = 16;

/**
 * Permutes the numbers of `length` digits by a key: FF1 of NIST SP 800-38G with AES-256 and an empty tweak. Many
 * numbers share the calls of the cipher, which cost most. Throws RangeError for a number outside the domain, and if the
 * longer half has more than 2^32 values.
 */
export function ff1(
  key: Buffer,
  { radix, length }: { radix: number; length: number },
): (numbers: readonly bigint[]) => Halves[] {
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const lengths = { left: Math.floor(length / 2), right: Math.ceil(length / 2) };
  const sizes = { left: radix ** lengths.left, right: radix ** lengths.right };
  if (sizes.right > 2 ** 32) throw new RangeError('the domain is too large');
  // The first block is the same for all numbers, so it is encrypted only once.
  const chained = cipher.update(headOf(radix, length, lengths.left));
  const lastWord = chained.readInt32BE(12);
  const roundAt = BLOCK_BYTES - 1 - Math.ceil(Math.ceil(Math.log2(sizes.right)) / 8);

  const addRound = (halves: readonly Halves[], blocks: Buffer, round: number): void => {
    const size = round % 2 === 0 ? sizes.left : sizes.right;
    let at = 0;
    for (const { right } of halves) {
      chained.copy(blocks, at);
      blocks.writeInt32BE(lastWord ^ right, at + 12);
      blocks[at + roundAt] = (blocks[at + roundAt] ?? 0) ^ round;
      at += BLOCK_BYTES;
    }
    const random = cipher.update(blocks);
    at = 0;
    for (const half of halves) {
      const sum = (half.left + remainder(random, at, size)) % size;
      half.left = half.right;
      half.right = sum;
      at += BLOCK_BYTES;
    }
  };

  return (numbers) => {
    const halves = numbers.map((number) => cut(number, sizes));
    const blocks = Buffer.allocUnsafe(BLOCK_BYTES * numbers.length);
    for (let round = 0; round < ROUNDS; round += 1) addRound(halves, blocks, round);
    return halves;
  };
}

/** Head of FF1's chain: version, method, radix, rounds and lengths. */
function headOf(radix: number, length: number, leftLength: number): Buffer {
  const head = Buffer.from([1, 2, 1, 0, 0, 0, ROUNDS, leftLength, 0, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUIntBE(radix, 3, 3);
  head.writeUInt32BE(length, 8);
  return head;
}

function cut(number: bigint, { left, right }: Halves): Halves {
  const size = BigInt(right);
  if (number < 0n || number >= BigInt(left) * size) throw new RangeError('the number is outside the domain');
  return { left: Number(number / size), right: Number(number % size) };
}

/** The remainder of 64 bits from `at`, divided by `size`. Its steps stay within the exact integers of a number. */
function remainder(bytes: Buffer, at: number, size: number): number {
  const low = bytes.readUInt32BE(at + 4);
  const upper = ((bytes.readUInt32BE(at) % size) * 0x10000 + (low >>> 16)) % size;
  return (upper * 0x10000 + (low & 0xffff)) % size;
}
