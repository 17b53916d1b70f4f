import { describe, expect, it } from '@jest/globals';
import type { HostChange, HostOutputChunks } from './step-progress.js';
import { splitIntoTransactions } from './progress-writer.js';

const printed = (serverId: string, bytes: number) =>
  ({ serverId, chunks: [{ data: Buffer.alloc(bytes) }] }) as unknown as HostOutputChunks;
const started = (serverId: string) => ({ serverId, kind: 'started' }) as HostChange;
const ended = (serverId: string) => ({ serverId, kind: 'finished' }) as HostChange;
const transactionsOf = (changes: HostChange[], output: HostOutputChunks[]) =>
  splitIntoTransactions(changes, output, 100).map((transaction) => [
    transaction.output.map(({ serverId }) => serverId).join(' '),
    transaction.changes.map(({ serverId, kind }) => `${serverId} ${kind}`).join(', '),
  ]);

describe('changes and output of a step to store', () => {
  it('are one transaction while they are small, and none when there is nothing', () => {
    expect(transactionsOf([started('a')], [printed('b', 10), printed('c', 80)])).toEqual([['b c', 'a started']]);
    expect(transactionsOf([], [])).toEqual([]);
  });

  it('are split when they are large, with the changes of each host beside its output and in order', () => {
    const changes = [started('a'), started('c'), ended('a'), started('d'), ended('c')];
    expect(transactionsOf(changes, [printed('a', 100), printed('b', 60), printed('c', 70), printed('e', 5)])).toEqual([
      ['a', 'a started, a finished'],
      ['b c', 'c started, c finished'],
      ['e', 'd started'],
    ]);
  });
});
