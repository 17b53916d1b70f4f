/** Client of the public HTTP API for the demo. */

export class ApiError extends Error {
  constructor(method, path, status, problem) {
    const items = (problem.errors ?? []).map((item) => `${item.path} ${item.message}`);
    super(
      [`${method} ${path} answered ${status}: ${problem.detail ?? problem.title ?? 'no reason given'}`, ...items].join(
        ' ',
      ),
    );
    this.status = status;
    this.code = problem.code;
    this.problem = problem;
  }
}

export class Api {
  #cookie = '';

  constructor(base) {
    this.base = base;
  }

  async login(email, password) {
    const response = await this.#send('POST', '/api/auth/login', { email, password });
    this.#cookie = response.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ');
  }

  get = (path) => this.#json('GET', path);
  post = (path, body) => this.#json('POST', path, body);
  patch = (path, body) => this.#json('PATCH', path, body);
  put = (path, body) => this.#json('PUT', path, body);

  /** Returns the record with exactly this name; undefined = none. */
  async find(path, name) {
    const { items } = await this.get(`${path}?limit=200&q=${encodeURIComponent(name)}`);
    return items.find((item) => item.name === name);
  }

  /**
   * Yields the events of a run as `{ type, data }` until the run finishes. After a broken connection, reconnects and
   * continues after the last received event.
   */
  async *events(executionId, signal) {
    let last = 0;
    for (;;) {
      try {
        const headers = { accept: 'text/event-stream', cookie: this.#cookie, 'last-event-id': String(last) };
        const response = await fetch(`${this.base}/api/executions/${executionId}/stream`, { headers, signal });
        if (response.status === 204) return;
        if (!response.ok) throw await problemOf('GET', '/stream', response);
        for await (const event of parseEvents(response.body)) {
          last = event.id;
          yield event;
          if (event.type === 'execution.finished') return;
        }
      } catch (error) {
        if (signal.aborted || error instanceof ApiError) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }

  async #json(method, path, body) {
    const response = await this.#send(method, path, body);
    return response.status === 204 ? undefined : response.json();
  }

  async #send(method, path, body) {
    const headers = { accept: 'application/json', cookie: this.#cookie };
    if (body !== undefined) headers['content-type'] = 'application/json';
    const response = await fetch(this.base + path, { method, headers, body: JSON.stringify(body) });
    if (!response.ok) throw await problemOf(method, path, response);
    return response;
  }
}

async function problemOf(method, path, response) {
  return new ApiError(method, path, response.status, await response.json().catch(() => ({})));
}

async function* parseEvents(body) {
  let pending = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (pending + text).split('\n\n');
    pending = blocks.pop();
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split('\n').map((line) => /^(\w*): ?(.*)$/.exec(line)?.slice(1) ?? []));
      if (fields.data) yield { id: Number(fields.id), type: fields.event, data: JSON.parse(fields.data) };
    }
  }
}
