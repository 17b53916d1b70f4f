import { describe, expect, it } from '@jest/globals';
import { generateMasterKey } from '../common/crypto/master-key.js';
import {
  type AuditEntryContent,
  deriveAuditKey,
  CHAIN_START_HASH,
  ChainVerifier,
  type ChainedEntry,
  type AuditChainFault,
  computeEntryHash,
  computeHeadSeal,
} from './audit-chain.js';

const TENANT = '01900000-0000-7000-8000-000000000001';
const key = deriveAuditKey(generateMasterKey().masterKey);

const content = (n: number): AuditEntryContent => ({
  id: `01900000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  tenantId: TENANT,
  at: new Date(1_700_000_000_000 + n * 1000).toISOString(),
  actorKind: 'user',
  actorId: null,
  actorName: 'Ana',
  tokenPrefix: null,
  address: '127.0.0.1',
  requestId: `request-${n}`,
  action: 'server.update',
  resourceType: 'server',
  resourceId: null,
  resourceName: 'web-1',
  before: { port: 22, tags: { b: '2', a: '1' } },
  after: { port: 2200 + n, tags: {} },
});

function makeChain(length: number): ChainedEntry[] {
  let previous: Buffer = CHAIN_START_HASH;
  return Array.from({ length }, (_, index) => {
    const own = content(index + 1);
    previous = computeEntryHash(key, previous, index + 1, own);
    return { ...own, sequence: index + 1, hash: previous };
  });
}

function check(entries: readonly ChainedEntry[], head = headOf(makeChain(5))): AuditChainFault | null {
  const walk = new ChainVerifier(key);
  for (const entry of entries) {
    const fault = walk.verifyNextEntry(entry);
    if (fault) return fault;
  }
  return walk.verifyChainEnd(TENANT, head);
}

function headOf(entries: readonly ChainedEntry[]) {
  const last = entries.at(-1);
  return last
    ? { sequence: last.sequence, hash: last.hash, seal: computeHeadSeal(key, TENANT, last.sequence, last.hash) }
    : null;
}

describe('the audit chain', () => {
  it('is intact when unchanged, in any order of stored fields', () => {
    const entries = makeChain(5).map((entry) => ({ ...entry, before: { tags: { a: '1', b: '2' }, port: 22 } }));
    expect(check(entries)).toBeNull();
  });

  it('is intact without entries and without a head', () => {
    expect(check([], null)).toBeNull();
  });

  it.each(Object.keys(content(3)).filter((name) => name !== 'tenantId'))(
    'reports the entry in which %s was changed',
    (name) => {
      const entries = makeChain(5).map((entry) =>
        entry.sequence === 3 ? { ...entry, [name]: name === 'at' ? content(9).at : 'forged' } : entry,
      );
      expect(check(entries)).toMatchObject({ sequence: 3, code: 'changed' });
    },
  );

  it('detects a deleted, two swapped, and an inserted entry', () => {
    const [a, b, c, d, e] = makeChain(5) as [ChainedEntry, ChainedEntry, ChainedEntry, ChainedEntry, ChainedEntry];
    expect(check([a, b, d, e])).toMatchObject({ sequence: 3, code: 'missing' });
    expect(check([a, { ...c, sequence: 2 }, { ...b, sequence: 3 }, d, e])).toMatchObject({
      sequence: 2,
      code: 'changed',
    });
    expect(check([a, b, { ...content(9), sequence: 3, hash: c.hash }, d, e])).toMatchObject({
      sequence: 3,
      code: 'changed',
    });
  });

  it('detects a removed end, also if the head was set back without its seal', () => {
    const cut = makeChain(5).slice(0, 3);
    expect(check(cut)).toMatchObject({ code: 'cut' });
    const last = cut[2] as ChainedEntry;
    expect(check(cut, { sequence: 3, hash: last.hash, seal: Buffer.alloc(32) })).toMatchObject({
      code: 'head_changed',
    });
    expect(check(cut, null)).toMatchObject({ code: 'head_changed' });
  });

  it('cannot be forged with another key', () => {
    const other = deriveAuditKey(generateMasterKey().masterKey);
    const own = content(1);
    expect(check([{ ...own, sequence: 1, hash: computeEntryHash(other, CHAIN_START_HASH, 1, own) }])).toMatchObject({
      sequence: 1,
      code: 'changed',
    });
  });
});
