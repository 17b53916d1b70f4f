import type { HostFacts } from './host-facts.js';

/** Maximum length in characters. A typical answer has about 700. */
export const MAX_ANSWER_LENGTH = 8_000;
const MAX_FACT_LENGTH = 200;
const FIRST_LINE_MARK = 'runward-facts-1';
const LAST_LINE_MARK = 'runward-facts-end';
const FACT_LINE_NAMES = new Set([
  ...['kernel', 'kernelVersion', 'arch', 'hostname', 'os', 'osVersion', 'osName', 'cpus', 'cpuModel', 'memoryKb'],
  ...['memoryBytes', 'boot', 'disk', 'init', 'pythonPath', 'pythonVersion'],
]);

const FACT_WORD_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9._+~:/-]{0,61}[A-Za-z0-9+~])?$/;
const MAX_CPUS = 100_000;
const MAX_SIZE_MIB = 2 ** 40;
/** Years 2000 and 2100, in Unix seconds. */
const MIN_BOOT_TIME_SECONDS = 946_684_800;
const MAX_BOOT_TIME_SECONDS = 4_102_444_800;

/**
 * Parses the answer to {@link FACTS_SCRIPT}, which is untrusted. Rejects an answer that is too long, truncated, or has
 * unknown or duplicate lines. A value out of bounds becomes null.
 *
 * @returns null if the answer is rejected
 */
export function parseFacts(answer: string): HostFacts | null {
  const values = parseLines(answer);
  if (!values) return null;
  const text = (name: string) => values.get(name) ?? '';
  const [diskTotalMb, diskFreeMb] = parseDisk(text('disk'));
  const memoryKb = parseWholeNumber(text('memoryKb'), Number.MAX_SAFE_INTEGER);
  const memoryBytes = parseWholeNumber(text('memoryBytes'), Number.MAX_SAFE_INTEGER);
  const boot = parseWholeNumber(text('boot'), MAX_BOOT_TIME_SECONDS);
  const pythonPath = /^\/[A-Za-z0-9._/+-]{1,100}$/.exec(text('pythonPath'))?.[0] ?? null;
  return {
    os: parseFactWord(unquote(text('os')).toLowerCase()),
    osVersion: parseFactWord(unquote(text('osVersion'))),
    osName: parseTextLine(unquote(text('osName'))),
    kernel: parseFactWord(text('kernel').toLowerCase()),
    kernelVersion: parseFactWord(text('kernelVersion')),
    arch: parseFactWord(text('arch')),
    cpus: positiveOrNull(parseWholeNumber(text('cpus'), MAX_CPUS)),
    cpuModel: parseTextLine(text('cpuModel')),
    memoryMb: toSizeWithinLimits(memoryKb === null ? toMebibytes(memoryBytes, 1024 ** 2) : toMebibytes(memoryKb, 1024)),
    diskTotalMb,
    diskFreeMb,
    bootedAt: boot !== null && boot >= MIN_BOOT_TIME_SECONDS ? new Date(boot * 1000).toISOString() : null,
    init: parseFactWord(text('init')),
    hostname: parseFactWord(text('hostname')),
    pythonPath,
    pythonVersion: pythonPath === null ? null : parseFactWord(/^Python (\S+)$/.exec(text('pythonVersion'))?.[1] ?? ''),
  };
}

function parseLines(answer: string): Map<string, string> | null {
  if (answer.length > MAX_ANSWER_LENGTH || !answer.endsWith('\n')) return null;
  const [first, ...lines] = answer.slice(0, -1).split('\n');
  if (first !== FIRST_LINE_MARK || lines.pop() !== LAST_LINE_MARK) return null;
  const values = new Map<string, string>();
  for (const each of lines) {
    const at = each.indexOf('=');
    const name = each.slice(0, at);
    if (at < 0 || !FACT_LINE_NAMES.has(name) || values.has(name)) return null;
    values.set(name, each.slice(at + 1).trim());
  }
  return values;
}

const unquote = (text: string): string =>
  (/^"(.*)"$/.exec(text)?.[1] ?? /^'(.*)'$/.exec(text)?.[1] ?? text).replace(/\\([\\"$`])/g, '$1');

const parseFactWord = (text: string): string | null => (FACT_WORD_PATTERN.test(text) ? text : null);

function parseTextLine(text: string): string | null {
  const cleanText = text
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_FACT_LENGTH);
  return cleanText === '' ? null : cleanText;
}

function parseWholeNumber(text: string, limit: number): number | null {
  if (!/^\d{1,16}$/.test(text)) return null;
  const number = Number(text);
  return number <= limit ? number : null;
}

const positiveOrNull = (number: number | null): number | null => (number === 0 ? null : number);
const toMebibytes = (number: number | null, divisor: number): number | null =>
  number === null ? null : Math.floor(number / divisor);
const toSizeWithinLimits = (number: number | null): number | null =>
  number === null || number > MAX_SIZE_MIB ? null : positiveOrNull(number);

/** Parses a line of `df -Pk`. The device name may contain spaces. */
function parseDisk(text: string): [total: number | null, free: number | null] {
  const found = /\s(\d{1,16})\s+(\d{1,16})\s+(-?\d{1,16})\s+\d+%\s+\//.exec(text);
  if (!found) return [null, null];
  const [total, free] = [Number(found[1]), Math.max(0, Number(found[3]))];
  if (!Number.isSafeInteger(total) || free > total) return [null, null];
  return [toSizeWithinLimits(toMebibytes(total, 1024)), toMebibytes(free, 1024)];
}
