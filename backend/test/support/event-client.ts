export interface StreamEvent {
  id: number;
  type: string;
  data: Record<string, unknown> & {
    lines?: { stepKey: string; serverId: string; stream: string; line: number; text: string; continues?: boolean }[];
  };
}

export interface EventClient {
  status: number;
  contentType: string;
  events: StreamEvent[];
  raw(): string;
  /** Resolves when either side ends the stream. */
  ended: Promise<void>;
  /** Closes the connection abruptly. */
  leave(): Promise<void>;
}

/** Follows a stream until `onEvent` returns false or the stream ends. */
export async function followEvents(
  url: string,
  headers: Record<string, string>,
  onEvent: (event: StreamEvent) => boolean = () => true,
): Promise<EventClient> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const decoder = new TextDecoder();
  const client: EventClient = {
    status: response.status,
    contentType: response.headers.get('content-type') ?? '',
    events: [],
    raw: () => raw,
    ended: Promise.resolve(),
    leave: async () => {
      abort.abort();
      await client.ended;
    },
  };
  let raw = '';
  let rest = '';
  const read = async (): Promise<void> => {
    for await (const bytes of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      const text = decoder.decode(bytes, { stream: true });
      raw += text;
      const blocks = (rest + text).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const event = parseEvent(block);
        if (!event) continue;
        client.events.push(event);
        if (!onEvent(event)) return abort.abort();
      }
    }
  };
  // An aborted connection also counts as an end.
  client.ended = read().catch(() => undefined);
  return client;
}

function parseEvent(block: string): StreamEvent | null {
  const fields = new Map(
    block
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  );
  const [id, type, data] = [fields.get('id'), fields.get('event'), fields.get('data')];
  if (id === undefined || type === undefined || data === undefined) return null;
  return { id: Number(id), type, data: JSON.parse(data) as StreamEvent['data'] };
}
