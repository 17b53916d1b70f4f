export interface FloodingHost {
  readonly port: number;
  readonly publicKey: Buffer;
  readonly connections: number;
  /** Number of connections that accepted all `mostBytes`. */
  readonly exhausted: number;
  readonly sentBytes: number;
  stop(): Promise<void>;
}

export const FLOOD_KINDS: readonly string[];

export function startFloodingHost(
  kind: string,
  options: { privateKey: string; address?: string; port?: number; mostBytes?: number },
): Promise<FloodingHost>;
