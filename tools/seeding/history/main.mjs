/** Stores a sample history of given plans. Reads a `HistoryRequest` as JSON from standard input. For the demo. */
import '../../lib/typescript.mjs';

await import('./store-history.ts');
