import { isIPv6 } from 'node:net';

/** Host name in an Ansible inventory. It may describe many hosts: `web[01:50].example.com:2222`. */
export interface HostPattern {
  readonly count: number;
  readonly port: number | null;
  names(): string[];
}

export interface HostPatternFault {
  readonly code: string;
  readonly message: string;
}

type PatternPart = string | HostRange;

interface HostRange {
  readonly count: number;
  item(index: number): string;
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
/** Maximum length of a host pattern in characters; real patterns are much shorter. */
const MAX_PATTERN_LENGTH = 300;
const RANGE_ADVICE = 'Write a range as [01:50], [a:f] or [0:100:10]. Both ends must have the same number of digits.';

export function readHostPattern(text: string): HostPattern | HostPatternFault {
  if (text.length > MAX_PATTERN_LENGTH) {
    return { code: 'name_too_long', message: `A host pattern can have at most ${MAX_PATTERN_LENGTH} characters.` };
  }
  const { name, port } = splitPort(text);
  if (name === '') return { code: 'bad_host', message: 'The host name before the port is missing.' };
  if (isIPv6(name)) return { count: 1, port, names: () => [name] };
  const parts = splitRanges(name);
  if (!parts) return { code: 'bad_range', message: RANGE_ADVICE };
  if (name.endsWith(':'))
    return { code: 'bad_host', message: 'A host name cannot end with ":" unless a port follows.' };
  const count = parts.reduce((product, part) => product * (typeof part === 'string' ? 1 : part.count), 1);
  return { count, port, names: () => expandParts(parts) };
}

/** Splits off the port: `[2001:db8::1]:22` and `web[01:50]:22` have one, `2001:db8::1` and `web[01:50]` do not. */
function splitPort(text: string): { name: string; port: number | null } {
  const bracketed = /^\[([^[\]]+)\](?::(\d{1,9}))?$/.exec(text);
  if (bracketed?.[1] && isIPv6(bracketed[1])) {
    return { name: bracketed[1], port: bracketed[2] === undefined ? null : Number(bracketed[2]) };
  }
  const colonIndex = text.lastIndexOf(':');
  const port = text.slice(colonIndex + 1);
  if (colonIndex < 0 || !/^\d{1,9}$/.test(port)) return { name: text, port: null };
  const name = text.slice(0, colonIndex);
  // More than one colon outside the ranges means an IPv6 address without a port.
  const outside = name.replace(/\[[^\]]*\]/g, '');
  return /[:[\]]/.test(outside) ? { name: text, port: null } : { name, port: Number(port) };
}

function splitRanges(name: string): PatternPart[] | null {
  const parts: PatternPart[] = [];
  let rest = name;
  while (rest !== '') {
    const open = rest.indexOf('[');
    if (open < 0) {
      parts.push(rest);
      break;
    }
    const close = rest.indexOf(']', open);
    const range = close < 0 ? null : readRange(rest.slice(open + 1, close));
    if (!range) return null;
    if (open > 0) parts.push(rest.slice(0, open));
    parts.push(range);
    rest = rest.slice(close + 1);
  }
  return parts;
}

function readRange(text: string): HostRange | null {
  const [first, last, stepText = '1', ...more] = text.split(':');
  if (first === undefined || last === undefined || more.length > 0 || !/^\d{1,15}$/.test(stepText)) return null;
  const step = Number(stepText);
  if (step === 0) return null;
  if (/^[A-Za-z]$/.test(first) && /^[A-Za-z]$/.test(last)) {
    const start = LETTERS.indexOf(first);
    return createRange(start, LETTERS.indexOf(last), step, (letter) => LETTERS.charAt(letter));
  }
  if (!/^\d{0,15}$/.test(first) || !/^\d{1,15}$/.test(last)) return null;
  const isZeroPadded = first.startsWith('0') && first.length > 1;
  if (isZeroPadded && first.length !== last.length) return null;
  const width = isZeroPadded ? first.length : 0;
  return createRange(Number(first), Number(last), step, (number) => String(number).padStart(width, '0'));
}

function createRange(first: number, last: number, step: number, show: (position: number) => string): HostRange | null {
  if (first > last) return null;
  return { count: Math.floor((last - first) / step) + 1, item: (index) => show(first + index * step) };
}

/** Expands ranges in Ansible's order: the first range varies slowest. */
function expandParts(parts: readonly PatternPart[]): string[] {
  let names = [''];
  for (const part of parts) {
    if (typeof part === 'string') names = names.map((name) => name + part);
    else names = names.flatMap((name) => Array.from({ length: part.count }, (_, index) => name + part.item(index)));
  }
  return names;
}
