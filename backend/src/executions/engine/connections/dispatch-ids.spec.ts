import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { newId } from '../../../common/ids.js';
import { isJournalId } from '../../../transport/journal/journal-shell.js';
import { DispatchIds } from './journal-entries.js';

const key = (byte: number) => createSecretKey(Buffer.alloc(32, byte));
const RUN = newId();
const HOST = newId();
const ids = new DispatchIds(key(1), RUN);

describe('dispatch ids', () => {
  it('are equal in every process that has the installation key', () => {
    const copy = new DispatchIds(key(1), RUN);
    expect(copy.createFirstId(1, HOST, 2)).toBe(ids.createFirstId(1, HOST, 2));
    expect(copy.createNextId(ids.createFirstId(1, HOST, 2))).toBe(ids.createNextId(ids.createFirstId(1, HOST, 2)));
  });

  it('differ by run, step, host, attempt and key, and after each id that was ruled out', () => {
    const first = ids.createFirstId(1, HOST, 1);
    const all = [
      first,
      new DispatchIds(key(1), newId()).createFirstId(1, HOST, 1),
      new DispatchIds(key(2), RUN).createFirstId(1, HOST, 1),
      ids.createFirstId(0, HOST, 11),
      ids.createFirstId(1, newId(), 1),
      ids.createFirstId(1, HOST, 2),
      ids.createNextId(first),
      ids.createNextId(ids.createNextId(first)),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  it('are UUIDs of version 8 that begin like the id of the run', () => {
    const first = ids.createFirstId(3, HOST, 1);
    expect(isJournalId(first)).toBe(true);
    expect(first).toMatch(/^.{14}8.{3}-[89ab]/);
    expect(first.slice(0, 14)).toBe(RUN.slice(0, 14));
  });
});
