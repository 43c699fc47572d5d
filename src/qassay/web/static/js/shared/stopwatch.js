// How long an item was looked at: the time while the page is hidden does not count.

/** A clock that stops while nobody can see the page. */
export class Stopwatch {
  #before = 0;
  #since = null;

  constructor() {
    document.addEventListener("visibilitychange", () => (document.hidden ? this.#stop() : this.#run()));
  }

  restart() {
    this.#before = 0;
    this.#since = null;
    if (!document.hidden) this.#run();
  }

  get milliseconds() {
    return Math.round(this.#before + (this.#since === null ? 0 : performance.now() - this.#since));
  }

  #run() {
    this.#since ??= performance.now();
  }

  #stop() {
    this.#before = this.milliseconds;
    this.#since = null;
  }
}
