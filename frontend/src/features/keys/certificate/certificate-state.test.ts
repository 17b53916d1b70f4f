import { describe, expect, it } from 'vitest';
import { certificateAdvice, certificateStyle, EXPIRY_WARNING_MS } from './certificate-state';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const at = (ms: number) => new Date(NOW + ms).toISOString();
const label = (validFrom: string | null, validUntil: string | null) =>
  certificateStyle({ validFrom, validUntil }, NOW).label;

describe('the state of a certificate', () => {
  it.each([
    ['Valid', null, null],
    ['Valid', at(-1), at(EXPIRY_WARNING_MS)],
    ['Expires soon', at(-1), at(EXPIRY_WARNING_MS - 1)],
    ['Expires soon', null, at(1)],
    ['Expired', at(-2), at(0)],
    ['Not valid yet', at(1), at(EXPIRY_WARNING_MS)],
    ['Not valid yet', at(1), null],
  ])('is “%s” from %s until %s', (expected, from, until) => {
    expect(label(from, until)).toBe(expected);
  });

  it('comes with advice of its own for each', () => {
    const texts = [
      certificateAdvice({ validFrom: null, validUntil: null }, NOW),
      certificateAdvice({ validFrom: null, validUntil: at(1) }, NOW),
      certificateAdvice({ validFrom: null, validUntil: at(-1) }, NOW),
      certificateAdvice({ validFrom: at(1), validUntil: null }, NOW),
    ];
    expect(new Set(texts).size).toBe(texts.length);
  });
});
