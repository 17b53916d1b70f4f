/** A client of several API processes any of which may be gone at any moment, as a script behind a load balancer. */
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 8_000;
const AGAIN_MS = 250;
/** Longer than any fault lasts, and what it is healed by takes. */
const PATIENCE_MS = 120_000;

export class Client {
  #cookie = '';
  #turn = 0;

  /** @param {() => string[]} bases addresses of the processes that may answer */
  constructor(bases, { againMs = AGAIN_MS, patienceMs = PATIENCE_MS } = {}) {
    this.bases = bases;
    this.againMs = againMs;
    this.patienceMs = patienceMs;
  }

  async login(email, password) {
    const answer = await this.#retryWhileDatabaseAway('POST', '/api/auth/login', { email, password });
    this.#cookie = answer.cookie;
  }

  /** Asks until somebody answers; throws on a refusal. For what must succeed, such as the preparation of a trial. */
  async demand(method, path, body) {
    const answer = await this.#retryWhileDatabaseAway(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Asks one process once. Status 0: no answer came, and nobody knows what became of the request. */
  async once(method, path, body, headers = {}) {
    const bases = this.bases();
    this.#turn += 1;
    const base = bases[this.#turn % bases.length];
    if (!base) return { status: 0, body: null };
    try {
      const answer = await fetch(base + path, {
        method,
        headers: { cookie: this.#cookie, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // Said of the connection, which stood open without a request for too long, just when this one was sent.
      if (answer.status === 408) return { status: 0, body: null };
      const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0];
      return { status: answer.status, body: await answer.json().catch(() => null), cookie };
    } catch {
      return { status: 0, body: null };
    }
  }

  async #retryWhileDatabaseAway(method, path, body) {
    const until = performance.now() + this.patienceMs;
    for (;;) {
      const answer = await this.once(method, path, body);
      if ((answer.status > 0 && answer.status < 500) || performance.now() > until) return answer;
      await sleep(this.againMs);
    }
  }
}
