import type { HostChange, HostChunks } from './step-progress.js';

/** What one transaction stores. */
export interface Portion {
  changes: HostChange[];
  output: HostChunks[];
}

/**
 * Cuts what is to be stored into transactions of about so many bytes of output each. What belongs to one host stays
 * together: whoever takes over tells by a host's changes which of its stored output is whose.
 */
export function portionsOf(
  changes: readonly HostChange[],
  output: readonly HostChunks[],
  mostBytes: number,
): Portion[] {
  const portions: Portion[] = [{ changes: [], output: [] }];
  const home = new Map<string, Portion>();
  let last = portions[0] as Portion;
  let bytes = 0;
  for (const host of output) {
    if (bytes >= mostBytes) {
      last = { changes: [], output: [] };
      portions.push(last);
      bytes = 0;
    }
    last.output.push(host);
    home.set(host.serverId, last);
    bytes += host.chunks.reduce((sum, { data }) => sum + data.length, 0);
  }
  for (const change of changes) (home.get(change.serverId) ?? last).changes.push(change);
  return portions.filter((portion) => portion.changes.length > 0 || portion.output.length > 0);
}
