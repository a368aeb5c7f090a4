import type { Scene } from './scene.js';

/** A trouble that the trial brings about. People on call must find, understand and end it. */
export interface State {
  /** The trouble in words. */
  what: string;
  /** Settings of all processes that extend those of compose.yaml. */
  settings?: NodeJS.ProcessEnv;
  /** Prepares conditions that a healthy cluster may also have. */
  prepare?(scene: Scene): Promise<unknown>;
  inject(scene: Scene): Promise<unknown>;
  /** Checks that a sign names the affected part in addition to the cause. */
  names?: Pick<RegExp, 'test'>;
  /** The steps of the advice, in order. */
  remedy: readonly Step[];
  /** Undoes the preparation. */
  restore?(scene: Scene): Promise<void>;
}

interface Step {
  /** The words of the advice that ask for this step. */
  says: string;
  run(scene: Scene): Promise<unknown>;
}
