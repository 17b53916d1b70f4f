export type Scheme = 'light' | 'dark';
type Rgb = readonly [number, number, number];

/** Colours that a program chose: by name (`red`, `bright-red`), palette index (16 to 255) or value. */
export interface TextColours {
  foreground: Colour | null;
  background: Colour | null;
  dim: boolean;
}

export type Colour = string | number | Rgb;

/** Minimum contrast of text: 4.5 (WCAG 2.2, 1.4.3), and a margin for rounding. */
const MIN_CONTRAST = 4.6;
/** Share of the background in dim text. */
const DIMMED_SHARE = 0.35;
/** Step by which an unreadable colour is moved towards black or white, as a share. */
const STEP = 0.08;

const BLACK: Rgb = [0, 0, 0];
const WHITE: Rgb = [255, 255, 255];

interface Palette {
  text: Rgb;
  /** Possible backgrounds of a line: normal (first), selected, hovered. */
  backgrounds: readonly [Rgb, ...Rgb[]];
  named: Readonly<Record<string, Rgb>>;
}

const rgb = (hex: string): Rgb => {
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const named = (plain: readonly string[], bright: readonly string[]): Palette['named'] =>
  Object.fromEntries(
    NAMES.flatMap((name, index) => [
      [name, rgb(plain[index] ?? '#000000')],
      [`bright-${name}`, rgb(bright[index] ?? '#000000')],
    ]),
  );

const PALETTES: Record<Scheme, Palette> = {
  light: {
    text: BLACK,
    backgrounds: [rgb('#fbfbfd'), rgb('#e9e7fb'), rgb('#eceef2')],
    named: named(
      ['#24292f', '#b4232a', '#1a6b38', '#845100', '#0b5cad', '#8a2f9c', '#0a6672', '#5a6070'],
      ['#5d6371', '#c3212a', '#17713a', '#8a5600', '#1763bd', '#9b35b0', '#0a6e7b', '#24292f'],
    ),
  },
  dark: {
    text: rgb('#e3e5ec'),
    backgrounds: [rgb('#14161b'), rgb('#322e5c'), rgb('#2b303b')],
    named: named(
      ['#8b93a7', '#ff8f8f', '#7fd89d', '#f0c565', '#82bdff', '#e0a2f0', '#77d5e0', '#d5d8e0'],
      ['#9aa1b3', '#ffacac', '#a1e8b8', '#ffdd8c', '#a8d2ff', '#edc0f8', '#a0e8f0', '#ffffff'],
    ),
  },
};

/** Returns CSS colours of a text that are readable on every background; undefined for the default colour. */
export function readableColours(
  { foreground, background, dim }: TextColours,
  scheme: Scheme,
): { color?: string; background?: string } {
  const palette = PALETTES[scheme];
  let front = foreground === null ? null : valueOf(foreground, palette);
  const back = background === null ? null : valueOf(background, palette);
  if (dim) front = mixed(front ?? palette.text, back ?? palette.backgrounds[0], DIMMED_SHARE);
  if (front === null && back === null) return {};
  const text = readableColour(front ?? palette.text, back === null ? palette.backgrounds : [back]);
  return { color: css(text), ...(back === null ? {} : { background: css(back) }) };
}

function valueOf(colour: Colour, palette: Palette): Rgb | null {
  if (typeof colour === 'string') return palette.named[colour] ?? null;
  return typeof colour === 'number' ? xtermColour(colour) : colour;
}

/** Colours 16 to 255 of the xterm palette: a cube of 6 × 6 × 6, then greys. */
function xtermColour(index: number): Rgb {
  if (index >= 232) {
    const grey = 8 + (index - 232) * 10;
    return [grey, grey, grey];
  }
  const level = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = index - 16;
  return [level(Math.floor(cube / 36)), level(Math.floor(cube / 6) % 6), level(cube % 6)];
}

/** Returns the closest colour towards black or white that is readable on all backgrounds. */
function readableColour(colour: Rgb, backgrounds: readonly Rgb[]): Rgb {
  const least = (text: Rgb) => Math.min(...backgrounds.map((background) => contrast(text, background)));
  const end = least(BLACK) > least(WHITE) ? BLACK : WHITE;
  for (let share = 0; share < 1; share += STEP) {
    const text = mixed(colour, end, share);
    if (least(text) >= MIN_CONTRAST) return text;
  }
  return end;
}

const mixed = (from: Rgb, to: Rgb, share: number): Rgb => [
  from[0] + (to[0] - from[0]) * share,
  from[1] + (to[1] - from[1]) * share,
  from[2] + (to[2] - from[2]) * share,
];

/** Contrast ratio of two colours, 1 to 21 (WCAG 2.2). */
export function contrast(one: Rgb, other: Rgb): number {
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

const css = (colour: Rgb): string => `rgb(${colour.map(Math.round).join(', ')})`;
