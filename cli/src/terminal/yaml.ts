import { toHarmlessJson } from './harmless.ts';

/** Texts that YAML reads as the same text without quotes, in any of its versions. */
const PLAIN_TEXT = /^[A-Za-z][\w./@+-]*(?: [\w./@+-]+)*$/;
const RESERVED_TEXT = /^(?:true|false|yes|no|on|off|y|n|null)$/i;

/** Returns JSON values as a YAML block. Quoted texts are JSON texts, which are valid in YAML. */
export function toYaml(value: unknown, indent = ''): string {
  if (Array.isArray(value))
    return value.length === 0
      ? `${indent}[]\n`
      : value.map((item) => `${indent}- ${toYaml(item, `${indent}  `).slice(indent.length + 2)}`).join('');
  if (typeof value !== 'object' || value === null) return `${indent}${toScalar(value)}\n`;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  if (entries.length === 0) return `${indent}{}\n`;
  return entries.map(([key, item]) => `${indent}${toScalar(key)}:${toEntryValue(item, indent)}`).join('');
}

function toEntryValue(value: unknown, indent: string): string {
  const isBlock =
    typeof value === 'object' && value !== null && Object.values(value).some((item) => item !== undefined);
  return isBlock ? `\n${toYaml(value, `${indent}  `)}` : ` ${toYaml(value)}`;
}

const toScalar = (value: unknown): string =>
  typeof value === 'string' && PLAIN_TEXT.test(value) && !RESERVED_TEXT.test(value)
    ? value
    : toHarmlessJson(value ?? null);
