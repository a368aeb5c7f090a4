/** The source of the present time; tests pass one that they move by hand. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/** The first whole millisecond that is not before the RFC 3339 time: records are made at whole ones. */
export function wholeMillisecond(time: string): Date {
  const finer = /\.\d{3}\d*[1-9]/.test(time) ? 1 : 0;
  return new Date(new Date(time).getTime() + finer);
}
