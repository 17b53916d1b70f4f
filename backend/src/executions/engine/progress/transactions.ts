import type { HostChange, HostChunks } from './step-progress.js';

export interface TransactionBatch {
  changes: HostChange[];
  output: HostChunks[];
}

/**
 * Splits changes and output into transactions of about this many output bytes. The data of one host stays in one
 * transaction: after a take-over, the host's changes show which attempt its stored output belongs to.
 */
export function splitIntoTransactions(
  changes: readonly HostChange[],
  output: readonly HostChunks[],
  maxBytes: number,
): TransactionBatch[] {
  const portions: TransactionBatch[] = [{ changes: [], output: [] }];
  const home = new Map<string, TransactionBatch>();
  let last = portions[0] as TransactionBatch;
  let bytes = 0;
  for (const host of output) {
    if (bytes >= maxBytes) {
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
