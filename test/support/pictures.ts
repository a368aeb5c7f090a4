import { type Canvas, createCanvas } from '@napi-rs/canvas';

/** A picture with a dark bar above a light background. */
function drawn(width: number, height: number): Canvas {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = 'white';
  context.fillRect(0, 0, width, height);
  context.fillStyle = 'navy';
  context.fillRect(0, 0, width, height / 4);
  return canvas;
}

export const blobOf = (picture: Uint8Array, type = 'application/octet-stream'): Blob =>
  new Blob([Uint8Array.from(picture)], { type });

/** A PNG of `size` bytes, if that is larger than the picture. The bytes after its end do not belong to it. */
export function png(width = 64, height = 48, size = 0): Buffer {
  const picture = drawn(width, height).toBuffer('image/png');
  return Buffer.concat([picture, Buffer.alloc(Math.max(0, size - picture.length))]);
}

export const jpeg = (width = 64, height = 48): Buffer => drawn(width, height).toBuffer('image/jpeg');

export const webp = (width = 64, height = 48): Buffer => drawn(width, height).toBuffer('image/webp');
