export interface FloodingHost {
  readonly port: number;
  readonly publicKey: Buffer;
  /** TCP connections so far. */
  readonly connections: number;
  /** Connections that took `mostBytes`. */
  readonly exhausted: number;
  /** What closed connections were sent. */
  readonly sentBytes: number;
  stop(): Promise<void>;
}

export const FLOOD_KINDS: readonly string[];

export function startFloodingHost(
  kind: string,
  options: { privateKey: string; address?: string; port?: number; mostBytes?: number },
): Promise<FloodingHost>;
