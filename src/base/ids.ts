import { v7 } from 'uuid';

// Upper case is accepted because PostgreSQL compares uuid values, not their spelling.
const canonical = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** A new UUIDv7 (RFC 9562): ids made later by one process sort later. */
export function newId(): string {
  return v7();
}

/** Whether the text is a UUID in its canonical 8-4-4-4-12 spelling, of any version. */
export function isId(text: string): boolean {
  return canonical.test(text);
}
