// Judgements on their way: kept in the browser until the server says that they are on its disk.

import { newUuid, post, Refused, Unreachable } from "./api.js";

const LONGEST_WAIT = 15;

const pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/**
 * Return what a call returns; while the server cannot be reached or is busy, call again. Only for calls that may be repeated.
 * `waiting(problem)` is called before each further attempt.
 */
export async function insist(call, waiting) {
  for (let wait = 1; ; wait = Math.min(LONGEST_WAIT, wait * 2)) {
    try {
      return await call();
    } catch (problem) {
      const passing = problem instanceof Unreachable || problem.status === 429 || problem.status === 408 || problem.status >= 500;
      if (!passing) throw problem;
      waiting(problem);
      await pause(problem instanceof Refused ? Math.max(wait, problem.wait) : wait);
    }
  }
}

/** Events of one person in one project. Each has its own uuid, so that sending one twice does nothing. */
export class Outbox {
  /** `waiting(problem)` is called before each further attempt. */
  constructor(project, person, waiting) {
    this.path = `projects/${project}/events`;
    this.key = `qassay-unsent-${project}-${person}`;
    this.waiting = waiting;
  }

  get unsent() {
    try {
      return JSON.parse(localStorage.getItem(this.key) ?? "[]");
    } catch {
      return [];
    }
  }

  #keep(events) {
    if (events.length === 0) localStorage.removeItem(this.key);
    else localStorage.setItem(this.key, JSON.stringify(events));
  }

  #drop(event) {
    this.#keep(this.unsent.filter((each) => each.uuid !== event.uuid));
  }

  /** Send an event and return the reply; raise `Refused` where the server does not take it. */
  async send(event) {
    const whole = { uuid: newUuid(), ...event };
    this.#keep([...this.unsent, whole]);
    return { ...(await this.#deliver(whole)), event: whole };
  }

  /** Send what an earlier visit left behind; what the server does not take any more is dropped. */
  async flush() {
    let sent = 0;
    for (const event of this.unsent) {
      try {
        await this.#deliver(event);
        sent += 1;
      } catch (problem) {
        if (problem.status === 401) throw problem;
      }
    }
    return sent;
  }

  async #deliver(event) {
    try {
      const reply = await insist(() => post(this.path, event), this.waiting);
      this.#drop(event);
      return reply;
    } catch (problem) {
      if (problem.status !== 401) this.#drop(event);
      throw problem;
    }
  }
}
