/** Holds whoever comes until it is opened. */
export interface Gate {
  passed(): Promise<void>;
  open(): void;
}

export function gateOf(): Gate {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed: () => opened, open };
}
