const MAX_STEPS_AHEAD = 64;
/** Renderings to prepare while the file sizes are still unknown. */
const INITIAL_STEPS_AHEAD = 16;
/** Approximate maximum size of all unused renderings, in characters. */
const MAX_WAITING_CHARACTERS = 16_000_000;

/**
 * Renders for hosts that will start soon, so that many renderings are made together. Keeps each rendering until its
 * host uses it. Limits their number and total size.
 */
export class RenderingPrefetch<Host extends { serverId: string }, Rendering> {
  private readonly known = new Map<string, Promise<Rendering>>();
  private readonly expected: Host[] = [];
  private readonly requested = new Set<string>();
  private largestRendering = 0;
  private decidingCount = 0;

  /**
   * @param make may reject; the host's request then rejects as well
   * @param isDue whether the host will request a rendering at all
   */
  constructor(
    private readonly make: (host: Host) => Promise<Rendering>,
    private readonly isDue: (host: Host) => Promise<boolean>,
    private readonly sizeOf: (rendering: Rendering) => number,
  ) {}

  expectHosts(hosts: readonly Host[]): void {
    this.expected.push(...hosts);
  }

  getRendering(host: Host): Promise<Rendering> {
    this.requested.add(host.serverId);
    const rendering = this.known.get(host.serverId) ?? this.beginRendering(host);
    this.startRenderings();
    return rendering;
  }

  dropRendering({ serverId }: Host): void {
    this.known.delete(serverId);
  }

  private startRenderings(): void {
    const limit =
      this.largestRendering === 0
        ? INITIAL_STEPS_AHEAD
        : Math.min(MAX_STEPS_AHEAD, Math.floor(MAX_WAITING_CHARACTERS / this.largestRendering));
    while (this.known.size + this.decidingCount < limit) {
      const next = this.expected.shift();
      if (!next) return;
      if (!this.requested.delete(next.serverId)) void this.startIfDue(next);
    }
  }

  private async startIfDue(host: Host): Promise<void> {
    this.decidingCount += 1;
    // Ignores the error here: it is reported when the host reaches the step.
    const isDue = await this.isDue(host).catch(() => false);
    this.decidingCount -= 1;
    if (isDue && !this.requested.delete(host.serverId) && !this.known.has(host.serverId))
      void this.beginRendering(host);
    else this.startRenderings();
  }

  private beginRendering(host: Host): Promise<Rendering> {
    const rendering = this.make(host).then((made) => {
      this.largestRendering = Math.max(this.largestRendering, this.sizeOf(made));
      return made;
    });
    // Prevents an unhandled rejection; the host's request handles the error.
    rendering.catch(() => undefined);
    this.known.set(host.serverId, rendering);
    return rendering;
  }
}
