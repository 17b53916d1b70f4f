import type { HostChange, HostOutputChunks } from './step-progress.js';

export interface TransactionBatch {
  changes: HostChange[];
  output: HostOutputChunks[];
}

/**
 * Splits changes and output into transactions of about this many output bytes. The data of one host stays in one
 * transaction: after a take-over, the host's changes show which attempt its stored output belongs to.
 */
export function splitIntoTransactions(
  changes: readonly HostChange[],
  output: readonly HostOutputChunks[],
  maxBytes: number,
): TransactionBatch[] {
  const transactions: TransactionBatch[] = [{ changes: [], output: [] }];
  const batchOfHost = new Map<string, TransactionBatch>();
  let last = transactions[0] as TransactionBatch;
  let bytes = 0;
  for (const host of output) {
    if (bytes >= maxBytes) {
      last = { changes: [], output: [] };
      transactions.push(last);
      bytes = 0;
    }
    last.output.push(host);
    batchOfHost.set(host.serverId, last);
    bytes += host.chunks.reduce((sum, { data }) => sum + data.length, 0);
  }
  for (const change of changes) (batchOfHost.get(change.serverId) ?? last).changes.push(change);
  return transactions.filter((portion) => portion.changes.length > 0 || portion.output.length > 0);
}
