import type { BulkOutcome, BulkResult, BulkServersRequest } from '../../../api/types';
import { plural } from '../../../ui/format/format';

export type BulkKind = 'tags' | 'move' | 'enable' | 'disable' | 'delete';

export interface BulkForm {
  /** Tags to set, each as `key=value`. */
  add: string[];
  /** Keys of tags to remove. */
  remove: string[];
  environmentId: string | null;
}

export const EMPTY_FORM: BulkForm = { add: [], remove: [], environmentId: null };

type BulkChange = Omit<BulkServersRequest, 'serverIds' | 'filter' | 'expectedCount' | 'partial'>;

/** Returns the request for the form values; null: a value is missing. */
export function toBulkChange(kind: BulkKind, { add, remove, environmentId }: BulkForm): BulkChange | null {
  switch (kind) {
    case 'tags': {
      if (add.length + remove.length === 0) return null;
      return {
        action: 'change',
        ...(add.length > 0 ? { addTags: Object.fromEntries(add.map(toTag)) } : {}),
        ...(remove.length > 0 ? { removeTags: [...new Set(remove.map((key) => toTag(key)[0]))] } : {}),
      };
    }
    case 'move':
      return environmentId === null ? null : { action: 'change', environmentId };
    case 'enable':
    case 'disable':
      return { action: 'change', enabled: kind === 'enable' };
    case 'delete':
      return { action: 'delete' };
  }
}

function toTag(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text.trim(), ''] : [text.slice(0, at).trim(), text.slice(at + 1).trim()];
}

export const TITLES: Record<BulkKind, string> = {
  tags: 'Tags',
  move: 'Move to another environment',
  enable: 'Enable',
  disable: 'Disable',
  delete: 'Delete',
};

export const OUTCOMES: Record<BulkOutcome, string> = {
  change: 'Changes',
  delete: 'Will be deleted',
  leave: 'Unchanged',
  refuse: 'Refused',
};

export function summaryOf({ changed, unchanged, refused, preview }: BulkResult, kind: BulkKind): string {
  const verb = kind === 'delete' ? (preview ? 'to be deleted' : 'deleted') : preview ? 'to change' : 'changed';
  return [
    `${plural(changed, 'server')} ${verb}`,
    ...(unchanged > 0 ? [`${unchanged.toLocaleString('en')} unchanged`] : []),
    ...(refused > 0 ? [`${refused.toLocaleString('en')} refused`] : []),
  ].join(', ');
}

export function confirmText({ changed, refused }: BulkResult, kind: BulkKind): string {
  const verb = { tags: 'Change', move: 'Move', enable: 'Enable', disable: 'Disable', delete: 'Delete' }[kind];
  return refused > 0 ? `${verb} remaining ${changed.toLocaleString('en')}` : `${verb} ${plural(changed, 'server')}`;
}
