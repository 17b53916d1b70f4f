import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { Principal } from '../common/access/principal.js';
import { UnitOfWork } from '../common/database/unit-of-work.js';
import { encodeCursor, readCursor } from '../common/http/paging/cursor.js';
import { requireOrderedRange } from '../common/http/paging/filters.js';
import { DEFAULT_PAGE_LIMIT, type Page } from '../common/http/paging/page.js';
import { AuditKey, ChainVerifier, type AuditChainFault } from './audit-chain.js';
import type { AuditFilterQuery, ListAuditLogsQuery } from './audit-logs.dto.js';
import { type AuditLogView, type AuditVerificationView, toAuditLogView } from './audit-logs.view.js';
import { type AuditListOrder, findEntries, type AuditEntryPage } from './found-entries.js';
import { readChainedEntries, readChainHead } from './audit-trail.js';

const ENTRIES_PER_BATCH = 1000;

@Injectable()
export class AuditLogsReader {
  constructor(
    private readonly units: UnitOfWork,
    private readonly key: AuditKey,
  ) {}

  list(caller: Principal, query: ListAuditLogsQuery): Promise<Page<AuditLogView>> {
    const limit = query.limit ?? DEFAULT_PAGE_LIMIT;
    requireOrderedRange(query);
    const order = toAuditOrder(query);
    return this.units.run(caller.tenantId, async (tx) => {
      const { entries, next } = await findEntries(tx, caller.tenantId, query, order, limit);
      return { items: entries.map(toAuditLogView), nextCursor: next === null ? null : toAuditCursor(order, next) };
    });
  }

  /** Writes all matching entries as lines of JSON, newest first, with limited memory. */
  async exportAuditLogs(caller: Principal, filter: AuditFilterQuery, response: Response): Promise<void> {
    requireOrderedRange(filter);
    response.status(200).type('application/x-ndjson; charset=utf-8');
    response.setHeader('Content-Disposition', 'attachment; filename="audit.ndjson"');
    let after: number | null = null;
    for (;;) {
      const order: AuditListOrder = { ascending: false, after };
      const { entries, next }: AuditEntryPage = await this.units.run(caller.tenantId, (tx) =>
        findEntries(tx, caller.tenantId, filter, order, ENTRIES_PER_BATCH),
      );
      const text = entries.map((entry) => `${JSON.stringify(toAuditLogView(entry))}\n`).join('');
      if (response.destroyed) return;
      if (!response.write(text)) await new Promise((resolve) => response.once('drain', resolve).once('close', resolve));
      if (next === null) break;
      after = next;
    }
    response.end();
  }

  verifyAuditChain(caller: Pick<Principal, 'tenantId'>): Promise<AuditVerificationView> {
    const check = new ChainVerifier(this.key.value);
    return this.units.run(caller.tenantId, async (tx) => {
      // The head is read first, so entries that are added later are not verified.
      const head = await readChainHead(tx, caller.tenantId);
      let fault: AuditChainFault | null = null;
      while (!fault) {
        const entries = await readChainedEntries(tx, caller.tenantId, check.entries, ENTRIES_PER_BATCH);
        const due = entries.filter((entry) => head === null || entry.sequence <= head.sequence);
        for (const entry of due) fault ??= check.verifyNextEntry(entry);
        if (due.length < ENTRIES_PER_BATCH) break;
      }
      fault ??= check.verifyChainEnd(caller.tenantId, head);
      return {
        intact: fault === null,
        entries: check.entries,
        fault: fault && { sequence: fault.sequence, reason: { code: fault.code, text: fault.message } },
        head: head?.hash.toString('hex') ?? null,
        checkedAt: new Date().toISOString(),
      };
    });
  }
}

const ASCENDING_SORT_FIELD = 'at';

function toAuditOrder({ sort, cursor }: ListAuditLogsQuery): AuditListOrder {
  const ascending = sort === ASCENDING_SORT_FIELD;
  const [after = null] = readCursor(cursor, ['sequence'], ascending ? { sort: ASCENDING_SORT_FIELD } : {}) ?? [];
  return { ascending, after };
}

const toAuditCursor = ({ ascending }: AuditListOrder, sequence: number): string =>
  encodeCursor(ascending ? [ASCENDING_SORT_FIELD, sequence] : [sequence]);
