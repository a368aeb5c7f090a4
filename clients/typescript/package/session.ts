/** A credential that is valid for some time. */
export interface Credential {
  /** The value of the header `Authorization`. */
  readonly authorization: string;
  /** From this time on (as in Date.now()), the session obtains another credential. */
  readonly renewAt: number;
}

/** Obtains credentials when they are needed. Simultaneous calls share one log-in. */
export class Session {
  /** True if the session can obtain another credential after the service has refused this one. */
  readonly isRenewable: boolean;
  readonly #obtain: () => Promise<Credential>;
  #current: Credential | undefined;
  #pending: Promise<Credential> | undefined;

  constructor(obtain: () => Promise<Credential>, { isRenewable = true } = {}) {
    this.#obtain = obtain;
    this.isRenewable = isRenewable;
  }

  /** Returns the valid credential. Throws the reason why no credential is valid. */
  credential(): Promise<Credential> {
    if (this.#current && Date.now() < this.#current.renewAt) return Promise.resolve(this.#current);
    this.#pending ??= this.#begin();
    return this.#pending;
  }

  /** Drops a credential that the service has refused. A newer one stays. */
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
