/** The source of the present time; tests pass one that they move by hand. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
