import { describe, expect, it } from 'vitest';
import { type Colour, contrast, readableColours, type Scheme } from './ansi-colors';

const rgbOf = (css: string | undefined) =>
  (css ?? '').match(/\d+/g)?.map(Number) as unknown as [number, number, number];
const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'].flatMap((name) => [
  name,
  `bright-${name}`,
]);
/** Backgrounds of the theme: normal, selected, hovered. */
const BACKGROUNDS: Record<Scheme, [number, number, number][]> = {
  light: [
    [251, 251, 253],
    [233, 231, 251],
    [236, 238, 242],
  ],
  dark: [
    [20, 22, 27],
    [50, 46, 92],
    [43, 48, 59],
  ],
};
const PALETTE: Colour[] = [
  ...NAMES,
  16,
  21,
  46,
  196,
  226,
  231,
  232,
  244,
  255,
  [0, 0, 0],
  [255, 255, 255],
  [128, 128, 128],
];

describe.each<Scheme>(['light', 'dark'])('colours of output in the %s scheme', (scheme) => {
  it('can be read on every background, whatever colour a program chose', () => {
    for (const foreground of PALETTE)
      for (const dim of [false, true]) {
        const text = rgbOf(readableColours({ foreground, background: null, dim }, scheme).color);
        for (const background of BACKGROUNDS[scheme])
          expect(contrast(text, background), `${String(foreground)}${dim ? ', dim' : ''}`).toBeGreaterThanOrEqual(4.5);
      }
  });

  it('can be read on the background that a program chose', () => {
    for (const foreground of PALETTE)
      for (const background of PALETTE) {
        const found = readableColours({ foreground, background, dim: false }, scheme);
        expect(contrast(rgbOf(found.color), rgbOf(found.background))).toBeGreaterThanOrEqual(4.5);
      }
  });

  it('are left to the page where a program chose none', () => {
    expect(readableColours({ foreground: null, background: null, dim: false }, scheme)).toEqual({});
    expect(readableColours({ foreground: 'no-such-name', background: null, dim: false }, scheme)).toEqual({});
  });
});

describe('contrast', () => {
  it('is 21 between black and white, in either order, and 1 between equal colours', () => {
    expect(contrast([0, 0, 0], [255, 255, 255])).toBeCloseTo(21);
    expect(contrast([255, 255, 255], [0, 0, 0])).toBeCloseTo(21);
    expect(contrast([9, 9, 9], [9, 9, 9])).toBe(1);
  });
});
