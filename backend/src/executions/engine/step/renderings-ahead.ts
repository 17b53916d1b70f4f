/** Hosts whose rendering is begun before it is asked for. */
const MOST_AHEAD = 64;
/** While nothing is known of how large the files are. */
const FIRST_AHEAD = 16;
/** Characters that may wait here, about. */
const MOST_WAITING = 16_000_000;

/**
 * Renderings of hosts, begun ahead of the hosts' turn so that many are made together, and kept until they were used. How
 * many wait is bounded by their number and by their size.
 */
export class RenderingsAhead<Host extends { serverId: string }, Rendering> {
  private readonly known = new Map<string, Promise<Rendering>>();
  private readonly expected: Host[] = [];
  /** Who asked before it was its turn. */
  private readonly asked = new Set<string>();
  private largest = 0;
  /** Hosts of which it is being decided whether they are due. */
  private deciding = 0;

  /**
   * @param make may fail; whoever asks for the host is told then
   * @param isDue whether the host will ask at all
   */
  constructor(
    private readonly make: (host: Host) => Promise<Rendering>,
    private readonly isDue: (host: Host) => Promise<boolean>,
    private readonly sizeOf: (rendering: Rendering) => number,
  ) {}

  /** These hosts will ask, most likely in this order. */
  expect(hosts: readonly Host[]): void {
    this.expected.push(...hosts);
  }

  of(host: Host): Promise<Rendering> {
    this.asked.add(host.serverId);
    const rendering = this.known.get(host.serverId) ?? this.begin(host);
    this.goAhead();
    return rendering;
  }

  /** The host needs it no more. */
  drop({ serverId }: Host): void {
    this.known.delete(serverId);
  }

  private goAhead(): void {
    const most = this.largest === 0 ? FIRST_AHEAD : Math.min(MOST_AHEAD, Math.floor(MOST_WAITING / this.largest));
    while (this.known.size + this.deciding < most) {
      const next = this.expected.shift();
      if (!next) return;
      if (!this.asked.delete(next.serverId)) void this.beginIfDue(next);
    }
  }

  private async beginIfDue(host: Host): Promise<void> {
    this.deciding += 1;
    // A fault shows when the host comes to the step.
    const isDue = await this.isDue(host).catch(() => false);
    this.deciding -= 1;
    if (isDue && !this.asked.delete(host.serverId) && !this.known.has(host.serverId)) void this.begin(host);
    else this.goAhead();
  }

  private begin(host: Host): Promise<Rendering> {
    const rendering = this.make(host).then((made) => {
      this.largest = Math.max(this.largest, this.sizeOf(made));
      return made;
    });
    // Told to whoever asks.
    rendering.catch(() => undefined);
    this.known.set(host.serverId, rendering);
    return rendering;
  }
}
