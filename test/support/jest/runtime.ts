import { createRequire, register } from 'node:module';
import { pathToFileURL } from 'node:url';

register('./globals-hook.js', import.meta.url);

const require = createRequire(import.meta.url);

/** Where jest-circus keeps the listeners of a run, by its own name. */
const circusListeners = Symbol.for('EVENT_HANDLERS');

/** The message that ends a worker after its last file. Jest complains of one that stays longer than half a second. */
const END = 2;
process.on('message', (message) => {
  // The shared service ends with the process; `process.exit` would wait for every thread.
  if (Array.isArray(message) && message[0] === END) process.kill(process.pid, 'SIGKILL');
});

const loaded = new Set<string>();

const asyncHooks: Record<string, unknown> = require('node:async_hooks');

/** Tells jest-circus which test runs, one at a time. AsyncLocalStorage would look at every promise of later files. */
class OneAtATime<Store> {
  #store: Store | undefined;

  async run<Result>(store: Store, callback: () => Promise<Result>): Promise<Result> {
    const before = this.#store;
    this.#store = store;
    try {
      return await callback();
    } finally {
      this.#store = before;
    }
  }

  getStore = (): Store | undefined => this.#store;
}

type Circus = { initialize(options: object): Promise<unknown> };

type Globals = Parameters<typeof import('./globals.js').publish>[0];

/** Lets Node load the test files, and each module once for a worker; it offers no mocks, fake timers and coverage. */
export default class NativeRuntime {
  #globals: Globals | undefined;

  setGlobalsForRuntime(globals: Globals): void {
    this.#globals = globals;
  }

  /** Jest-circus itself, which keeps the tests of one file in its module. */
  requireInternalModule(path: string): unknown {
    const { initialize, ...others } = this.#loadAnew(path);
    // The results of a file say of each of its tests what two messages would have said of it before.
    const quietly = (options: object) => initialize({ ...options, sendMessageToJest: undefined });
    return { ...others, initialize: quietly };
  }

  #loadAnew(path: string): Circus {
    Reflect.deleteProperty(globalThis, circusListeners);
    delete require.cache[path];
    const { AsyncLocalStorage } = asyncHooks;
    // Node 24 lets it be, and looks at no promise for it.
    Reflect.set(asyncHooks, 'AsyncLocalStorage', OneAtATime);
    try {
      return require(path);
    } finally {
      Reflect.set(asyncHooks, 'AsyncLocalStorage', AsyncLocalStorage);
    }
  }

  async unstable_importModule(path: string): Promise<void> {
    if (loaded.has(path)) throw new Error('Node loads a file once: run `npm run test:watch` instead of --watch');
    loaded.add(path);
    // Jest's formatter of stacks knows only the source maps that its own runtime made; Node knows those of tsx.
    Reflect.deleteProperty(Error, 'prepareStackTrace');
    const { publish } = await import('./globals.js');
    if (this.#globals) publish(this.#globals);
    await import(pathToFileURL(path).href);
  }

  // Other functions that jest-runner and jest-circus call.
  requireModule = require;
  unstable_shouldLoadAsEsm = () => true;
  getSourceMaps = () => null;
  getAllCoverageInfoCopy = () => undefined;
  enterTestCode = () => undefined;
  leaveTestCode = () => undefined;
  teardown = () => undefined;
}
