import type { ImportedValue } from './inventory-text.ts';
import type { TreeNode } from './text-tree.ts';

/** Value before validation. `nested`: a list or map with other than plain values. */
export type RawValue = ImportedValue | null | { readonly nested: true } | { readonly tag: string };

export const VARIABLE_NAME_PATTERN = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
export const TAG_TEXT_PATTERN = /^[A-Za-z0-9](?:[A-Za-z0-9_./-]{0,61}[A-Za-z0-9])?$/;

const INTEGER_PATTERN = /^[+-]?\d+$/;

export function countTextLength(value: ImportedValue): number {
  if (typeof value !== 'object') return String(value).length;
  return value.reduce<number>((length, item) => length + String(item).length + 1, 0);
}

/**
 * Converts a value of a YAML or JSON inventory. `ansible-inventory --list` marks some values as unsafe: they are texts
 * without templates.
 */
export function toRawValue(node: TreeNode): RawValue {
  if (node.kind === 'tagged') return { tag: node.tag };
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'map') {
    if (node.fields.size !== 1) return { nested: true };
    if (node.fields.has('__ansible_vault')) return { tag: '!vault' };
    const unsafe = node.fields.get('__ansible_unsafe')?.value;
    return unsafe?.kind === 'scalar' ? unsafe.value : { nested: true };
  }
  const items: (string | number | boolean)[] = [];
  for (const item of node.items) {
    const value = item.kind === 'map' ? toRawValue(item) : item.kind === 'scalar' ? item.value : null;
    if (value === null || typeof value === 'object') return { nested: true };
    items.push(value);
  }
  return items;
}

/**
 * Returns a decimal number as Ansible's templates print it. `2.0` stays the text "2.0", because the number would print
 * as 2. A whole number stays text if a JavaScript number would change its digits.
 */
export function toExactNumber(source: string): number | string {
  const value = Number(source);
  if (!Number.isFinite(value)) return source;
  if (INTEGER_PATTERN.test(source)) return Number.isSafeInteger(value) ? value || 0 : source;
  if (!Number.isInteger(value)) return value;
  return Math.abs(value) < 1e16 ? value.toFixed(1) : source;
}
