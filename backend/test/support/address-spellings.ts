import type { SeededRandom } from './seeded-random.js';

function ipv6Spellings(groups: readonly number[], random: SeededRandom): string[] {
  const zeroRuns: [number, number][] = [];
  for (let from = 0; from < 8; from += 1)
    for (let to = from; to < 8 && groups[to] === 0; to += 1) zeroRuns.push([from, to]);
  const write = (group: number) => {
    const hex = group.toString(16);
    const padded = random.int(10) < 4 ? hex.padStart(hex.length + random.int(5 - hex.length), '0') : hex;
    return random.int(10) < 3 ? padded.toUpperCase() : padded;
  };
  const dotted = [groups[6] ?? 0, groups[7] ?? 0].flatMap((group) => [group >> 8, group & 255]).join('.');
  const tails = [(last: string[]) => last, (last: string[]) => [...last.slice(0, -2), dotted]];
  const texts: string[] = [];
  for (const tail of tails) {
    texts.push(tail(groups.map(write)).join(':'));
    for (const [from, to] of zeroRuns) {
      const before = groups.slice(0, from).map(write).join(':');
      const after = groups.slice(to + 1).map(write);
      const end = tail === tails[0] || after.length < 2 ? after : tail(after);
      texts.push(`${before}::${end.join(':')}`);
    }
  }
  return texts;
}

/** Returns spellings of an IPv4 address that resolvers accept: decimal, octal, hexadecimal, short, and one number. */
function ipv4Spellings([a, b, c, d]: readonly [number, number, number, number], random: SeededRandom): string[] {
  const number = (value: number) => {
    const forms = [String(value), `0${value.toString(8)}`, `0x${value.toString(16)}`, `0X${value.toString(16)}`];
    return random.int(10) < 5 ? String(value) : random.pick(forms);
  };
  const whole = ((a * 256 + b) * 256 + c) * 256 + d;
  return [
    [a, b, c, d].join('.'),
    [a, b, c, d].map(number).join('.'),
    [number(a), number(b), number(c * 256 + d)].join('.'),
    [number(a), number((b * 256 + c) * 256 + d)].join('.'),
    number(whole),
    `${a}.${b}.${c}.${String(d).padStart(3, '0')}`,
  ];
}

const within = (prefix: readonly number[], [a, b, c, d]: readonly [number, number, number, number]) => [
  ...prefix,
  a * 256 + b,
  c * 256 + d,
];

const IPV4 = [
  [127, 0, 0, 1],
  [127, 0, 0, 2],
  [127, 0, 0, 3],
  [127, 9, 8, 7],
  [0, 0, 0, 0],
  [0, 0, 0, 1],
  [255, 255, 255, 255],
  [224, 0, 0, 1],
] as const;
const IPV6 = [
  [0, 0, 0, 0, 0, 0, 0, 1],
  [0, 0, 0, 0, 0, 0, 0, 0],
  [0, 0, 0, 0, 0, 0, 0, 2],
  [0, 0, 0, 0, 0, 0, 1, 0],
  [0x2001, 0xdb8, 0, 0, 1, 0, 0, 1],
  [0x2001, 0xdb8, 0, 1, 1, 1, 1, 1],
  [1, 2, 3, 4, 5, 6, 7, 0],
  [0xff02, 0, 0, 0, 0, 0, 0, 1],
  [0xfec0, 0, 0, 0, 0, 0, 0, 1],
];
const PREFIXES = [
  [0, 0, 0, 0, 0, 0xffff], // mapped
  [0, 0, 0, 0, 0, 0], // compatible
  [0, 0, 0, 0, 0xffff, 0], // translated
  [0x64, 0xff9b, 0, 0, 0, 0], // NAT64
];
const NAMES = ['localhost', 'web', 'db.internal', 'a-b_c.example', 'web.1', '1e3', '0xg', 'x0x7f', 'ip6-localhost'];

/**
 * Returns at least `count` different host addresses that a request can contain.
 * @param interfaces network interfaces with their link-local IPv6 addresses, as eight groups
 */
export function addressSpellings(
  random: SeededRandom,
  count: number,
  interfaces: readonly { name: string; index: number; groups: readonly number[] }[],
): string[] {
  const texts = new Set<string>();
  const zones = [
    '',
    'lo',
    'LO',
    '1',
    '01',
    '0',
    'nowhere',
    'eth0',
    ...interfaces.flatMap(({ name, index }) => [name, `${index}`]),
  ];
  const linkLocal = [
    ...interfaces.map(({ groups }) => groups),
    [0xfe80, 0, 0, 0, 0, 0, 0, 1],
    [0xfebf, 0, 0, 0, 1, 0, 0, 1],
  ];
  const addresses = [...IPV6, ...linkLocal, ...PREFIXES.flatMap((prefix) => IPV4.map((ipv4) => within(prefix, ipv4)))];
  while (texts.size < count) {
    const plain = [
      ...addresses.flatMap((groups) => ipv6Spellings(groups, random)),
      ...IPV4.flatMap((ipv4) => ipv4Spellings(ipv4, random)),
      ...NAMES.map((name) => [...name].map((letter) => (random.int(10) < 3 ? letter.toUpperCase() : letter)).join('')),
    ];
    for (const text of plain) {
      texts.add(text);
      const zoned = random.int(10) < 3 ? `${text}%${random.pick(zones)}` : text;
      const dotted = random.int(10) < 1 ? `${zoned}${'.'.repeat(1 + random.int(2))}` : zoned;
      texts.add(dotted);
      if (random.int(10) < 1) texts.add(`[${dotted}]`);
    }
  }
  return [...texts];
}
