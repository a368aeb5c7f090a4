import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { listening } from '../../../test/support/port.js';

interface Backend {
  url: string;
  /** The address of its probes. */
  probes: string;
}

interface Served {
  backend: Backend;
  agent: Agent;
  isReady: boolean;
}

const LOOK_MS = 250;

/** Passes each request to one of the ready processes, in turn, over open connections. It sends nothing twice. */
export type Balancer = Awaited<ReturnType<typeof startBalancer>>;

export async function startBalancer() {
  let served: Served[] = [];
  let turn = 0;
  const counts = { passed: 0, failed: 0 };
  const server = createServer((req, res) => {
    const ready = served.filter(({ isReady }) => isReady);
    turn += 1;
    const chosen = ready[turn % ready.length];
    counts.passed += 1;
    const fail = () => {
      counts.failed += 1;
      if (res.headersSent) res.destroy();
      else res.writeHead(502).end();
    };
    if (chosen) passOn(req, res, chosen, fail);
    else fail();
  });
  const port = await listening(server);
  const timer = setInterval(() => void Promise.all(served.map(look)), LOOK_MS);
  return {
    url: `http://127.0.0.1:${port}`,
    /** Counts of passed requests and of failed ones. */
    counts,
    /** Sends requests to the process whenever its probe reports ready, until it is removed. */
    add: (backend: Backend) => void served.push({ backend, agent: new Agent({ keepAlive: true }), isReady: false }),
    remove: (backend: Backend) => {
      served = served.filter((each) => each.backend !== backend);
    },
    /** The number of servers that get requests. */
    ready: () => served.filter(({ isReady }) => isReady).length,
    stop: async () => {
      clearInterval(timer);
      server.close();
      server.closeAllConnections();
      for (const { agent } of served) agent.destroy();
      await sleep(0);
    },
  };
}

async function look(each: Served): Promise<void> {
  const answer = await fetch(`${each.backend.probes}/readyz`).catch(() => undefined);
  await answer?.text();
  each.isReady = answer?.status === 200;
}

function passOn(req: IncomingMessage, res: ServerResponse, { backend, agent }: Served, fail: () => void): void {
  const target = new URL(req.url ?? '/', backend.url);
  const onward = request(target, { method: req.method, headers: req.headers, agent }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.on('error', fail).pipe(res);
  });
  onward.on('error', fail);
  req.pipe(onward);
}
