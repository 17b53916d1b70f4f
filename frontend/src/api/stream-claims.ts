/**
 * Streams that the visible pages of this browser keep open at the same time. Browsers open at most six connections to a
 * server (HTTP/1.1), and each page needs one for its other requests. Pages beyond this number poll.
 */
const MAX_OPEN_STREAMS = 3;

type Message = { type: 'ask' } | { type: 'claim' | 'release'; id: string };

/** IDs begin with the time of the claim, so the oldest claims sort first. */
const own = new Set<string>();
const others = new Set<string>();
let channel: BroadcastChannel | null = null;

const send = (message: Message) => channel?.postMessage(message);

function openChannel(): void {
  if (channel || !('BroadcastChannel' in window)) return;
  channel = new window.BroadcastChannel('runward-streams');
  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.type === 'ask') for (const id of own) send({ type: 'claim', id });
    else if (data.type === 'claim') others.add(data.id);
    else others.delete(data.id);
  };
  window.addEventListener('pagehide', () => own.forEach((id) => send({ type: 'release', id })));
  send({ type: 'ask' });
}

export interface StreamClaim {
  /** Whether enough older streams are open, so that this one must poll. */
  isCrowded(): boolean;
  /** Forgets the claims of other pages and asks for them again: a crashed page does not release its claim. */
  refresh(): void;
  release(): void;
}

export function claimStream(): StreamClaim {
  openChannel();
  const id = `${String(Date.now()).padStart(16, '0')} ${Math.random()}`;
  own.add(id);
  send({ type: 'claim', id });
  return {
    isCrowded: () => [...own, ...others].filter((each) => each < id).length >= MAX_OPEN_STREAMS,
    refresh: () => {
      others.clear();
      send({ type: 'ask' });
    },
    release: () => {
      own.delete(id);
      send({ type: 'release', id });
    },
  };
}
