import { createHash } from 'node:crypto';
import {
  type FilterFunction,
  invalid,
  isMissing,
  isRecord,
  toPlainText,
  readArguments,
  wholeNumber,
} from './filter-value.ts';

const HASHES = ['sha1', 'sha256', 'sha384', 'sha512', 'md5'];
const PLAIN_WORD = /^[A-Za-z0-9@%+=:,./_-]+$/;
const TRUE = ['yes', 'on', '1', 'true'];

const quoted = (text: string): string => (PLAIN_WORD.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

function hash(value: unknown, ...args: unknown[]): string {
  const { algorithm = 'sha1' } = readArguments('hash', args, ['algorithm']);
  if (!HASHES.includes(String(algorithm))) throw invalid(`The filter hash knows ${HASHES.join(', ')}.`);
  return createHash(String(algorithm)).update(toPlainText(value)).digest('hex');
}

function decoded(value: unknown): string {
  const text = toPlainText(value).replaceAll(/\s/g, '');
  const bytes = /^[A-Za-z0-9+/]*={0,2}$/.test(text) && text.length % 4 === 0 ? Buffer.from(text, 'base64') : null;
  const read = bytes?.toString('utf8');
  if (!bytes || read === undefined || !Buffer.from(read).equals(bytes))
    throw invalid('The filter b64decode needs base64 of a text.');
  return read;
}

function indent(value: unknown, ...args: unknown[]): string {
  const { width = 4, first = false } = readArguments('indent', args, ['width', 'first']);
  const marginText = ' '.repeat(Math.min(100, Math.max(0, Number(width) || 0)));
  return (first === true ? marginText : '') + toPlainText(value).replaceAll(/\n(?!\n|$)/g, `\n${marginText}`);
}

function toNumber(filter: 'int' | 'float') {
  return (value: unknown, ...args: unknown[]): number => {
    const { default: other = 0 } = readArguments(filter, args, ['default']);
    const text = typeof value === 'boolean' ? String(Number(value)) : toPlainText(value).trim();
    const number = /^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isFinite(number)) return Number(other);
    return filter === 'int' ? Math.trunc(number) : number;
  };
}

function center(value: unknown, ...args: unknown[]): string {
  const { width = 80 } = readArguments('center', args, ['width']);
  const text = toPlainText(value);
  const padding = wholeNumber('center', width, 0, 1000) - text.length;
  return padding <= 0 ? text : ' '.repeat(Math.floor(padding / 2)) + text + ' '.repeat(Math.ceil(padding / 2));
}

/** Like `os.path.basename` and `os.path.dirname` of Python. */
const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
function dirname(path: string): string {
  const head = path.slice(0, path.lastIndexOf('/') + 1);
  return /^\/*$/.test(head) ? head : head.replace(/\/+$/, '');
}

function comment(value: unknown, ...args: unknown[]): string {
  const { decoration = '# ' } = readArguments('comment', args, ['decoration']);
  return toPlainText(value)
    .split('\n')
    .map((line) => (toPlainText(decoration) + line).trimEnd())
    .join('\n');
}

export const TEXT_FILTERS: Readonly<Record<string, FilterFunction>> = {
  b64decode: decoded,
  b64encode: (value) => Buffer.from(toPlainText(value)).toString('base64'),
  basename: (value) => basename(toPlainText(value)),
  bool: (value) => (typeof value === 'boolean' ? value : TRUE.includes(toPlainText(value).toLowerCase())),
  center,
  comment,
  dirname: (value) => dirname(toPlainText(value)),
  float: toNumber('float'),
  hash,
  indent,
  int: toNumber('int'),
  quote: (value) =>
    Array.isArray(value) ? value.map((item) => quoted(toPlainText(item))).join(' ') : quoted(toPlainText(value)),
  string: (value) => toPlainText(value),
  ternary(value, ...args) {
    const { yes, no } = readArguments('ternary', args, ['yes', 'no']);
    const holds = !isMissing(value) && value !== false && value !== '' && value !== 0;
    return holds && !(Array.isArray(value) && value.length === 0) && !(isRecord(value) && !Object.keys(value).length)
      ? yes
      : no;
  },
  url_encode: (value) => encodeURIComponent(toPlainText(value)),
  urlencode: (value) => encodeURIComponent(toPlainText(value)),
};
