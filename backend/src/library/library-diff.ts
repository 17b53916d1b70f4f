import type { Principal } from '../common/access/principal.js';
import type { UnitOfWork } from '../common/database/unit-of-work.js';
import { type ComparedTexts, compareRevisions } from '../revisions/text-comparison.js';
import type { ThreadPool } from '../common/threads/thread-pool.js';
import type { LibraryRevisionRow, WithContent } from './library-kind.js';
import { isSameSource, type LibraryRecords } from './library-records.js';

export const LIBRARY_PARTS = ['content', 'source', 'interpreter'] as const;
export type LibraryPart = (typeof LIBRARY_PARTS)[number];

export interface LibraryDiff extends ComparedTexts {
  from: LibraryRevisionRow | null;
  to: LibraryRevisionRow;
  changes: LibraryPart[];
}

/** Requested revision, and the revision to compare it with; absent = the previous one. */
export interface ComparedRevisions {
  number: string;
  against?: number;
}

/** @throws Problem 404; 429 `too_many_at_once`, 503 `busy` */
export async function compareLibraryRevisions(
  records: LibraryRecords,
  { units, threads }: { units: UnitOfWork; threads: ThreadPool },
  caller: Principal,
  { id, number, against }: ComparedRevisions & { id: string },
): Promise<LibraryDiff> {
  const { tenantId } = caller;
  const { from, to } = await units.run(tenantId, async (tx) => {
    await records.findVisible(tx, caller, id);
    const laterRevision = await records.findRevision(tx, caller, id, number);
    const earlierNumber = against ?? laterRevision.number - 1;
    return {
      to: laterRevision,
      from: earlierNumber === 0 ? null : await records.findRevision(tx, caller, id, earlierNumber),
    };
  });
  const texts = { from: from && { ...from, text: from.content }, to: { ...to, text: to.content } };
  const compared = await compareRevisions(threads, texts, { tenantId, asks: 'request' });
  return { from, to, changes: LIBRARY_PARTS.filter((part) => isPartDifferent(part, from, to)), ...compared };
}

function isPartDifferent(
  part: LibraryPart,
  from: WithContent<LibraryRevisionRow> | null,
  to: WithContent<LibraryRevisionRow>,
): boolean {
  if (part === 'source') return !isSameSource(from?.source ?? null, to.source);
  // Without an earlier revision, every part that is present counts as changed.
  return (from?.[part] ?? (part === 'content' ? '' : null)) !== to[part];
}
