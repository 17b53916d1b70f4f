/** API client that behaves like a script behind a load balancer: any of the API processes may be down at any moment. */
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 8_000;
const RETRY_MS = 250;
/** Time limit for retries in ms, longer than any fault and its healing. */
const PATIENCE_MS = 120_000;

export class Client {
  #cookie = '';
  #requests = 0;

  /** @param {() => string[]} bases addresses of the processes that may answer */
  constructor(bases, { retryMs = RETRY_MS, patienceMs = PATIENCE_MS } = {}) {
    this.bases = bases;
    this.retryMs = retryMs;
    this.patienceMs = patienceMs;
  }

  async login(email, password) {
    const answer = await this.#retryWhileDatabaseAway('POST', '/api/auth/login', { email, password });
    this.#cookie = answer.cookie;
  }

  /**
   * Retries until a process answers; throws if it refuses. For requests that must succeed, such as the preparation of a
   * trial.
   */
  async demand(method, path, body) {
    const answer = await this.#retryWhileDatabaseAway(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  /** Sends one request to one process. Status 0: there was no response, so the result of the request is unknown. */
  async sendOnce(method, path, body, headers = {}) {
    const bases = this.bases();
    this.#requests += 1;
    const base = bases[this.#requests % bases.length];
    if (!base) return { status: 0, body: null };
    try {
      const answer = await fetch(base + path, {
        method,
        headers: { cookie: this.#cookie, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      // 408 means that the connection had been idle for too long, just when this request was sent.
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
      const answer = await this.sendOnce(method, path, body);
      if ((answer.status > 0 && answer.status < 500) || performance.now() > until) return answer;
      await sleep(this.retryMs);
    }
  }
}
