import type { Scene } from './scene.js';

/** A trouble to bring about. People on call must find, understand and end it. */
export interface State {
  /** The trouble, in words. */
  what: string;
  /** Settings of all processes beside those of compose.yaml. */
  settings?: NodeJS.ProcessEnv;
  /** Makes what the trouble needs and a healthy cluster may have too. */
  prepare?(scene: Scene): Promise<unknown>;
  inject(scene: Scene): Promise<unknown>;
  /** Tries whether a sign names whom or what it should, besides the cause. */
  names?: Pick<RegExp, 'test'>;
  /** The advice, carried out in turn. */
  remedy: readonly Step[];
  /** Takes back the preparation. */
  restore?(scene: Scene): Promise<void>;
}

interface Step {
  /** Part of the advice that says to do this, word for word. */
  says: string;
  run(scene: Scene): Promise<unknown>;
}
