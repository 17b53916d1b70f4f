import type { HostFacts } from './host-facts.js';

/** Maximum length in characters. A typical answer has about 700. */
export const MAX_ANSWER_LENGTH = 8_000;
const MAX_FACT_LENGTH = 200;
const FIRST_LINE = 'runward-facts-1';
const LAST_LINE = 'runward-facts-end';
const NAMES = new Set([
  ...['kernel', 'kernelVersion', 'arch', 'hostname', 'os', 'osVersion', 'osName', 'cpus', 'cpuModel', 'memoryKb'],
  ...['memoryBytes', 'boot', 'disk', 'init', 'pythonPath', 'pythonVersion'],
]);

const FACT_WORD = /^[A-Za-z0-9](?:[A-Za-z0-9._+~:/-]{0,61}[A-Za-z0-9+~])?$/;
const MAX_CPUS = 100_000;
const MAX_MIB = 2 ** 40;
/** Years 2000 and 2100, in Unix seconds. */
const MIN_BOOT_TIME = 946_684_800;
const MAX_BOOT_TIME = 4_102_444_800;

/**
 * Parses the answer to {@link FACTS_SCRIPT}, which is untrusted. Rejects an answer that is too long, truncated, or has
 * unknown or duplicate lines. A value out of bounds becomes null.
 *
 * @returns null if the answer is rejected
 */
export function parseFacts(answer: string): HostFacts | null {
  const values = linesOf(answer);
  if (!values) return null;
  const text = (name: string) => values.get(name) ?? '';
  const [diskTotalMb, diskFreeMb] = diskOf(text('disk'));
  const memoryKb = wholeNumber(text('memoryKb'), Number.MAX_SAFE_INTEGER);
  const memoryBytes = wholeNumber(text('memoryBytes'), Number.MAX_SAFE_INTEGER);
  const boot = wholeNumber(text('boot'), MAX_BOOT_TIME);
  const pythonPath = /^\/[A-Za-z0-9._/+-]{1,100}$/.exec(text('pythonPath'))?.[0] ?? null;
  return {
    os: word(unquote(text('os')).toLowerCase()),
    osVersion: word(unquote(text('osVersion'))),
    osName: line(unquote(text('osName'))),
    kernel: word(text('kernel').toLowerCase()),
    kernelVersion: word(text('kernelVersion')),
    arch: word(text('arch')),
    cpus: positiveOrNull(wholeNumber(text('cpus'), MAX_CPUS)),
    cpuModel: line(text('cpuModel')),
    memoryMb: withinLimits(memoryKb === null ? mib(memoryBytes, 1024 ** 2) : mib(memoryKb, 1024)),
    diskTotalMb,
    diskFreeMb,
    bootedAt: boot !== null && boot >= MIN_BOOT_TIME ? new Date(boot * 1000).toISOString() : null,
    init: word(text('init')),
    hostname: word(text('hostname')),
    pythonPath,
    pythonVersion: pythonPath === null ? null : word(/^Python (\S+)$/.exec(text('pythonVersion'))?.[1] ?? ''),
  };
}

function linesOf(answer: string): Map<string, string> | null {
  if (answer.length > MAX_ANSWER_LENGTH || !answer.endsWith('\n')) return null;
  const [first, ...lines] = answer.slice(0, -1).split('\n');
  if (first !== FIRST_LINE || lines.pop() !== LAST_LINE) return null;
  const values = new Map<string, string>();
  for (const each of lines) {
    const at = each.indexOf('=');
    const name = each.slice(0, at);
    if (at < 0 || !NAMES.has(name) || values.has(name)) return null;
    values.set(name, each.slice(at + 1).trim());
  }
  return values;
}

const unquote = (text: string): string =>
  (/^"(.*)"$/.exec(text)?.[1] ?? /^'(.*)'$/.exec(text)?.[1] ?? text).replace(/\\([\\"$`])/g, '$1');

const word = (text: string): string | null => (FACT_WORD.test(text) ? text : null);

function line(text: string): string | null {
  const cleanText = text
    .replace(/[^\x20-\x7e]/g, ' ')
    .replace(/ +/g, ' ')
    .trim()
    .slice(0, MAX_FACT_LENGTH);
  return cleanText === '' ? null : cleanText;
}

function wholeNumber(text: string, limit: number): number | null {
  if (!/^\d{1,16}$/.test(text)) return null;
  const number = Number(text);
  return number <= limit ? number : null;
}

const positiveOrNull = (number: number | null): number | null => (number === 0 ? null : number);
const mib = (number: number | null, divisor: number): number | null =>
  number === null ? null : Math.floor(number / divisor);
const withinLimits = (number: number | null): number | null =>
  number === null || number > MAX_MIB ? null : positiveOrNull(number);

/** Parses a line of `df -Pk`. The device name may contain spaces. */
function diskOf(text: string): [total: number | null, free: number | null] {
  const found = /\s(\d{1,16})\s+(\d{1,16})\s+(-?\d{1,16})\s+\d+%\s+\//.exec(text);
  if (!found) return [null, null];
  const [total, free] = [Number(found[1]), Math.max(0, Number(found[3]))];
  if (!Number.isSafeInteger(total) || free > total) return [null, null];
  return [withinLimits(mib(total, 1024)), mib(free, 1024)];
}
