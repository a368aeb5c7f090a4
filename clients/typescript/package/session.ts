/** A credential that authenticates requests for a while. */
export interface Credential {
  /** The value of `Authorization`. */
  readonly authorization: string;
  /** In Date.now()'s time: from here on another one is asked for. */
  readonly renewAt: number;
}

/** Obtains credentials when they are needed. Calls at the same time share one log-in. */
export class Session {
  /** True when another credential can be had after the service no longer takes this one. */
  readonly isRenewable: boolean;
  readonly #obtain: () => Promise<Credential>;
  #current: Credential | undefined;
  #pending: Promise<Credential> | undefined;

  constructor(obtain: () => Promise<Credential>, { isRenewable = true } = {}) {
    this.#obtain = obtain;
    this.isRenewable = isRenewable;
  }

  /** The credential that is valid now; throws the reason when there is none. */
  credential(): Promise<Credential> {
    if (this.#current && Date.now() < this.#current.renewAt) return Promise.resolve(this.#current);
    this.#pending ??= this.#begin();
    return this.#pending;
  }

  /** Says that the service no longer takes it. A newer one stays. */
  forget(credential: Credential): void {
    if (this.#current === credential) this.#current = undefined;
  }

  async #begin(): Promise<Credential> {
    try {
      this.#current = await this.#obtain();
      return this.#current;
    } finally {
      this.#pending = undefined;
    }
  }
}
