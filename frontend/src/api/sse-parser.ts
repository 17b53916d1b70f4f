/** One server-sent event. */
export interface StreamEvent {
  id: string | null;
  type: string;
  data: string;
}

/** Cuts text that arrives in pieces into server-sent events (WHATWG HTML, 9.2.6). */
export class SseParser {
  #rest = '';
  #id: string | null = null;

  /** Id of the last event that had one: where a reconnect goes on. */
  get lastId(): string | null {
    return this.#id;
  }

  push(text: string): StreamEvent[] {
    const frames = (this.#rest + text.replaceAll('\r\n', '\n')).split('\n\n');
    this.#rest = frames.pop() ?? '';
    return frames.flatMap((frame) => this.#parse(frame));
  }

  /** Forgets half an event: a new connection begins with a whole one. */
  reset(): void {
    this.#rest = '';
  }

  #parse(frame: string): StreamEvent[] {
    let type = 'message';
    const data: string[] = [];
    for (const line of frame.split('\n')) {
      const colon = line.indexOf(':');
      if (colon <= 0) continue;
      const field = line.slice(0, colon);
      const value = line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
      if (field === 'id') this.#id = value;
      else if (field === 'event') type = value;
      else if (field === 'data') data.push(value);
    }
    return data.length > 0 ? [{ id: this.#id, type, data: data.join('\n') }] : [];
  }
}
