import { spawnSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '../../../../test/support/seeded-random.js';
import { createRedactor } from '../redact-secrets.js';

const MASK = '‹secret PASSWORD›';
const ALPHABETS = [
  [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789'],
  [...`aZ09 !"#$%&'()*+,-./:;<=>?@[\\]^_\`{|}~`],
  [...`a'"\\\t\n\r\x1b\x07\x7f%$é`],
  [...'aé€😀\u0085\u00a0\u2028ÿ"\'\\ '],
];

const secrets = (() => {
  const random = seededRandom(41);
  // Letters at both ends, because white space around a value is not masked.
  return Array.from({ length: 300 }, (_, at) => `s${random.text(2 + random.int(40), ALPHABETS[at % 4] ?? [])}t`);
})();

function printedBy(command: string, args: string[], env: NodeJS.ProcessEnv = {}): string[] {
  const { stdout, stderr, status, error } = spawnSync(command, args, {
    input: `${secrets.join('\0')}\0`,
    env: { PATH: process.env.PATH, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error || status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr.toString()}`);
  const printed = stdout.toString().split('\0').slice(0, -1);
  expect(printed).toHaveLength(secrets.length);
  return printed;
}

/** Returns what remains of each line after masking; the whole line if nothing was masked. */
function unmaskedTexts(printed: string[]): string[] {
  const left = printed.map((text, at) => {
    const masked = createRedactor([{ name: 'PASSWORD', value: secrets[at] as string }]).text(text);
    return masked.includes(MASK) ? masked.split(MASK).join('') : `not masked: ${text}`;
  });
  return [...new Set(left)].sort();
}

const each = (print: string) => ['-c', `while IFS= read -r -d "" v; do ${print}; printf "\\0"; done`];
const has = (tool: string) => spawnSync('sh', ['-c', `command -v ${tool}`]).status === 0;

describe("masking of real tools' output for hundreds of random secrets", () => {
  it("has a counter-test: another secret's redactor masks nothing", () => {
    const other = createRedactor([{ name: 'PASSWORD', value: 'another-secret' }]);
    for (const text of printedBy('bash', each('printf %s "$v"'))) expect(other.text(text)).toBe(text);
  });

  it.each(['C', 'C.UTF-8'])('masks everything that bash quotes in the locale %s', (locale) => {
    const env = { LC_ALL: locale };
    expect(unmaskedTexts(printedBy('bash', each('printf %q "$v"'), env))).toEqual(['', "$''"]);
    expect(unmaskedTexts(printedBy('bash', each('printf %s "${v@Q}"'), env))).toEqual(["$''", "''"]);
    expect(unmaskedTexts(printedBy('bash', each('declare -p v'), env))).toEqual([
      'declare -- v=""\n',
      "declare -- v=$''\n",
    ]);
    expect(unmaskedTexts(printedBy('bash', each('{ set -x; : "$v"; set +x; } 2>&1'), env))).toEqual([
      '+ : \n+ set +x\n',
      "+ : $''\n+ set +x\n",
      "+ : ''\n+ set +x\n",
    ]);
  });

  it('masks everything in a trace of the system shell', () => {
    const trace = printedBy('bash', each('v="$v" sh -xc \': "$v"\' 2>&1'));
    expect(unmaskedTexts(trace).filter((left) => !/^\+ : (\$?'{0,2}|"")'*\n$/.test(left))).toEqual([]);
  });

  it('masks base64 and hexadecimal digits, on one line or several', () => {
    const piped = (tool: string) => unmaskedTexts(printedBy('bash', each(`printf %s "$v" | ${tool}`)));
    expect(piped('base64')).toEqual(['\n']);
    expect(piped('base64 -w0')).toEqual(['']);
    expect(piped('od -An -v -tx1').map((left) => left.trim())).toEqual(['']);
    expect(piped('od -An -v -tx1 | tr -d " \\n"')).toEqual(['']);
    if (has('xxd')) expect(piped('xxd -p')).toEqual(['\n']);
    if (has('hexdump')) expect(piped(`hexdump -ve '1/1 "%.2x"'`)).toEqual(['']);
  });

  it('masks text as programs write it', () => {
    expect(unmaskedTexts(secrets.map((value) => JSON.stringify(value)))).toEqual(['""']);
    expect(unmaskedTexts(secrets.map((value) => encodeURIComponent(value)))).toEqual(['']);
    expect(unmaskedTexts(secrets.map(pythonRepr))).toEqual(['""', "''"]);
    expect(unmaskedTexts(secrets.map((value) => pythonBytesRepr(Buffer.from(value))))).toEqual(['b""', "b''"]);
    expect(unmaskedTexts(secrets.map((value) => pythonJson(value)))).toEqual(['""']);
  });

  it('simulates Python correctly', () => {
    if (!has('python3')) return expect(pythonRepr(`a'"é\x85\n\\`)).toBe(String.raw`'a\'"é\x85\n\\'`);
    const program = (expression: string) => [
      '-c',
      `import json, sys\nfor v in sys.stdin.buffer.read().split(b"\\0")[:-1]: sys.stdout.buffer.write((${expression}).encode() + b"\\0")`,
    ];
    const env = { PYTHONUTF8: '1' };
    expect(printedBy('python3', program('repr(v.decode())'), env)).toEqual(secrets.map(pythonRepr));
    expect(printedBy('python3', program('repr(v)'), env)).toEqual(
      secrets.map((value) => pythonBytesRepr(Buffer.from(value))),
    );
    expect(printedBy('python3', program('json.dumps(v.decode())'), env)).toEqual(secrets.map(pythonJson));
  });
});

const SHORT: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');

/** Python uses double quotes if the text contains single quotes and no double quotes. */
function quoted(text: string, body: (quote: string) => string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return quote + body(quote) + quote;
}

function pythonRepr(text: string): string {
  return quoted(text, (quote) =>
    [...text]
      .map((char) => {
        const code = char.codePointAt(0) as number;
        if (SHORT[char]) return SHORT[char];
        if (char === quote) return `\\${char}`;
        // Characters of the Unicode categories "other" and "separator" are not printable, except the space.
        if (char === ' ' || !/[\p{C}\p{Z}]/u.test(char)) return char;
        return code < 0x100 ? `\\x${hex(code, 2)}` : `\\u${hex(code, 4)}`;
      })
      .join(''),
  );
}

function pythonBytesRepr(bytes: Buffer): string {
  const body = (quote: string) =>
    [...bytes]
      .map((byte) => {
        const char = String.fromCharCode(byte);
        if (SHORT[char]) return SHORT[char];
        if (char === quote) return `\\${char}`;
        return byte >= 0x20 && byte < 0x7f ? char : `\\x${hex(byte, 2)}`;
      })
      .join('');
  return `b${quoted(bytes.toString('latin1'), body)}`;
}

const pythonJson = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (char) => `\\u${hex(char.charCodeAt(0), 4)}`);
