export interface FloodingHost {
  readonly port: number;
  readonly publicKey: Buffer;
  /** TCP connections since the start. */
  readonly connections: number;
  /** Connections that accepted `mostBytes`. */
  readonly exhausted: number;
  /** Bytes sent on closed connections. */
  readonly sentBytes: number;
  stop(): Promise<void>;
}

export const FLOOD_KINDS: readonly string[];

export function startFloodingHost(
  kind: string,
  options: { privateKey: string; address?: string; port?: number; mostBytes?: number },
): Promise<FloodingHost>;
