import { describe, expect, it } from '@jest/globals';
import { createRedactor } from '../../output/redact-secrets.js';
import { BoundedText } from './bounded-text.js';

const SECRET = 'hunter2-hunter2';
const redactor = createRedactor([{ name: 'password', value: SECRET }]);
const textOf = (pieces: Buffer[], limit: number): string => {
  const text = new BoundedText(redactor, limit);
  for (const piece of pieces) text.push('stdout', piece);
  return text.end();
};

describe('the text of a command', () => {
  it('is its output on both streams', () => {
    const text = new BoundedText(redactor, 100);
    text.push('stdout', Buffer.from('out\n'));
    text.push('stderr', Buffer.from('err\n'));
    expect(text.end()).toBe('out\nerr\n');
  });

  it('masks secrets across the boundaries of chunks and of the limit', () => {
    const bytes = Buffer.from(`a ${SECRET} b`);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(textOf([bytes.subarray(0, at), bytes.subarray(at)], 100)).toBe('a ‹secret password› b');
    }
    for (let length = 40; length < 80; length += 1) {
      const text = textOf([Buffer.from(`${'x'.repeat(length)}${SECRET}${'y'.repeat(99)}`)], 80);
      expect(text).not.toContain('hunter');
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(80);
    }
  });

  it('observes the limit in bytes, marks truncation, and cuts no character', () => {
    expect(textOf([Buffer.from('x'.repeat(80))], 80)).toBe('x'.repeat(80));
    for (let length = 0; length < 8; length += 1) {
      const text = textOf([Buffer.from('x'.repeat(length) + 'ü€😀'.repeat(20))], 80);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(80);
      expect(text).toMatch(/^x*(ü€😀)*ü?€?\n… The rest is left out\.\n$/);
    }
  });

  it('contains nothing that the database cannot store, and observes the limit for invalid UTF-8', () => {
    expect(textOf([Buffer.from('a\0b')], 80)).toBe('a�b');
    expect(Buffer.byteLength(textOf([Buffer.alloc(80, 0xff)], 80))).toBeLessThanOrEqual(80);
    expect(Buffer.byteLength(textOf([Buffer.alloc(80)], 80))).toBeLessThanOrEqual(80);
  });

  it('accepts endless output in bounded memory', () => {
    const text = new BoundedText(redactor, 80);
    const piece = Buffer.alloc(65_536, 'x');
    for (let count = 0; count < 100; count += 1) text.push('stdout', piece);
    expect(Buffer.byteLength(text.end())).toBeLessThanOrEqual(80);
  });
});
