import { execFile } from 'node:child_process';
import type { Logger } from '../base/log.js';

/** What systemd wants to know of a service that it started as `Type=notify`. */
interface Systemd {
  /** From then on it hears regularly that the event loop turns, where its unit says `WatchdogSec`. */
  ready(): void;
  stopping(): void;
}

/**
 * Tells systemd by its own program, as Node has no datagram sockets of the kind that it listens at. Says nothing where it does not listen.
 */
export function systemdOf({ NOTIFY_SOCKET, WATCHDOG_USEC }: NodeJS.ProcessEnv, log: Logger): Systemd {
  let watchdog: NodeJS.Timeout | undefined;
  let failed = false;
  const tell = (state: string): void => {
    if (!NOTIFY_SOCKET) return;
    execFile('systemd-notify', [state], (err) => {
      if (err && !failed) log.warn({ err }, 'cannot tell systemd how the service is');
      failed = err !== null;
    });
  };
  return {
    ready: () => {
      tell('READY=1');
      const everyMs = Number(WATCHDOG_USEC) / 2_000;
      if (everyMs > 0) watchdog = setInterval(tell, everyMs, 'WATCHDOG=1').unref();
    },
    stopping: () => {
      clearInterval(watchdog);
      tell('STOPPING=1');
    },
  };
}
