/**
 * Those who wait, by owner. Owners are served in turn, one waiter of each at a time, and those of one owner in the order in which they came:
 * an owner of thousands makes another wait for one of them only. An owner that is new, or was served just now, comes after all others.
 */
export interface Rotation<W> {
  add(waiter: W): void;
  /** Takes out a waiter: the first one that is accepted, of the first owner in turn who has one. */
  take(accept: (waiter: W) => boolean): W | undefined;
  /** Takes out all that fit. */
  withdraw(fits: (waiter: W) => boolean): W[];
  /** Of each owner the one that came first. */
  firsts(): W[];
}

export function createRotation<W>(ownerOf: (waiter: W) => string): Rotation<W> {
  /** In the order of their turns. */
  const byOwner = new Map<string, W[]>();

  return {
    add: (waiter) => {
      const owner = ownerOf(waiter);
      const waiters = byOwner.get(owner);
      if (waiters) waiters.push(waiter);
      else byOwner.set(owner, [waiter]);
    },
    take: (accept) => {
      for (const [owner, waiters] of byOwner) {
        const at = waiters.findIndex(accept);
        if (at < 0) continue;
        byOwner.delete(owner);
        const [waiter] = waiters.splice(at, 1);
        if (waiters.length > 0) byOwner.set(owner, waiters);
        return waiter;
      }
      return undefined;
    },
    withdraw: (fits) => {
      const withdrawn: W[] = [];
      for (const [owner, waiters] of byOwner) {
        const left: W[] = [];
        for (const waiter of waiters) (fits(waiter) ? withdrawn : left).push(waiter);
        if (left.length > 0) byOwner.set(owner, left);
        else byOwner.delete(owner);
      }
      return withdrawn;
    },
    firsts: () => [...byOwner.values()].flatMap((waiters) => waiters.slice(0, 1)),
  };
}
