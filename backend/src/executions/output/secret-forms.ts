/** The ways in which a value may stand in output, as bytes to look for. */
export interface SecretForms {
  /** Looked for exactly as they are. */
  readonly exact: Buffer[];
  /** Base64 text, which its writer may have broken into lines anywhere. */
  readonly base64: Buffer[];
}

/** Fewer bytes than this stand in any output by chance: masking them would hide the output and tell the value by its gaps. */
const MIN_BYTES = 3;

/** A line of a multi-line value is looked for by itself from this many characters on. */
const MIN_LINE = 4;

/**
 * Whether output can be masked for a value: from three bytes on, and not only white space. Where it is false, say so to the
 * person who sets the secret; such a value is left alone by the redactor.
 */
export function isMaskable(value: string): boolean {
  return Buffer.byteLength(value) >= MIN_BYTES && value.trim() !== '';
}

/**
 * All forms of a value that masking looks for (design: security.md, Secrets): plain, base64 and base64url at each of the three
 * offsets, URL-encoded, JSON- and shell-escaped, and the same for each line of a multi-line value. Empty when the value is
 * not maskable.
 */
export function secretForms(value: string): SecretForms {
  const exact = new Map<string, Buffer>();
  const base64 = new Map<string, Buffer>();
  const keep = (forms: Map<string, Buffer>, texts: string[]) => {
    for (const text of texts) {
      const bytes = Buffer.from(text);
      if (bytes.length >= MIN_BYTES) forms.set(bytes.toString('latin1'), bytes);
    }
  };
  for (const part of partsOf(value)) {
    keep(exact, [part, ...urlForms(part), ...jsonForms(part), ...shellForms(part)]);
    keep(base64, base64Forms(Buffer.from(part)));
  }
  return { exact: [...exact.values()], base64: [...base64.values()] };
}

/** The value, the value without the line end that shells drop from it, and its lines: terminals and tools change line ends. */
function partsOf(value: string): Set<string> {
  const parts = [value, value.replace(/[\r\n]+$/, '')].filter(isMaskable);
  const lines = value.split(/\r\n|\r|\n/);
  if (parts.length > 0 && lines.length > 1) {
    parts.push(...lines.filter((line) => [...line].length >= MIN_LINE && isMaskable(line)));
  }
  return new Set(parts);
}

/**
 * Base64 of the value in the middle of other data: only the characters that hold nothing but bits of the value. What comes
 * before shifts it by 0, 1 or 2 bytes within a group of three. Where the data ends with the value, so do its last character
 * and padding, and they are masked too.
 */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    const from = Math.ceil((offset * 8) / 6);
    const to = Math.floor(((offset + bytes.length) * 8) / 6);
    const core = text.slice(from, to);
    const last = text.slice(from).replace(/=+$/, '');
    return [core, last, text.slice(from)].flatMap((form) => [form, form.replaceAll('+', '-').replaceAll('/', '_')]);
  });
}

/** What encoders leave as it is besides letters and digits: encodeURIComponent, RFC 3986, Python's quote, HTML forms, encodeURI. */
const URL_KEPT = ["-_.!~*'()", '-_.~', '-_.~/', '-_.*', "-_.!~*'();/?:@&=+$,#"];

function urlForms(text: string): string[] {
  const bytes = [...Buffer.from(text)];
  return URL_KEPT.flatMap((kept) => {
    const upper = bytes.map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9]/.test(char) || kept.includes(char) ? char : `%${hex(byte, 2).toUpperCase()}`;
    });
    const lower = upper.map((char) => (char.length === 1 ? char : char.toLowerCase()));
    return [upper, lower].flatMap((chars) => [
      chars.join(''),
      chars.map((char) => (char === '%20' ? '+' : char)).join(''),
    ]);
  });
}

/** JSON as JavaScript, Python (ASCII only), Go (HTML-safe) and PHP (slashes escaped) write it, without the quotes around it. */
function jsonForms(text: string): string[] {
  const unicode = (char: string) => `\\u${hex(char.charCodeAt(0), 4)}`;
  const plain = JSON.stringify(text).slice(1, -1);
  const ascii = plain.replace(/[^ -~]/g, unicode);
  return [
    plain,
    ascii,
    ascii.replace(/\\u[0-9a-f]{4}/g, (escape) => `\\u${escape.slice(2).toUpperCase()}`),
    plain.replace(/[<>&\u2028\u2029]/g, unicode),
    plain.replaceAll('/', '\\/'),
    ascii.replaceAll('/', '\\/'),
  ];
}

/** Inside single quotes, as sh and bash print them and as Python writes them; inside double quotes; with backslashes. */
function shellForms(text: string): string[] {
  return [
    text.replaceAll("'", "'\\''"),
    text.replaceAll("'", `'"'"'`),
    text.replace(/[$`"\\]/g, '\\$&'),
    text.replace(/[\s'"\\|&;()<>!{}*[\]?^$`,#~]/g, '\\$&'),
  ];
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
