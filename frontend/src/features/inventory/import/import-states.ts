import { IconCircleCheck, IconCircleDashed, IconCircleX, IconEye, IconLoader2 } from '@tabler/icons-react';
import type { ImportFormat, PruneMode, ServerImport } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';
import { FORMATS } from './form/formats';

/** How the state of an import is drawn. */
export function stateOf({ state, preview }: Pick<ServerImport, 'state' | 'preview'>): StatusStyle {
  if (state === 'pending') return { tone: 'idle', icon: IconCircleDashed, label: 'Waiting' };
  if (state === 'running') return { tone: 'active', icon: IconLoader2, label: preview ? 'Comparing' : 'Importing' };
  if (state === 'failed') return { tone: 'bad', icon: IconCircleX, label: preview ? 'Can’t be imported' : 'Failed' };
  return preview
    ? { tone: 'active', icon: IconEye, label: 'Preview ready' }
    : { tone: 'good', icon: IconCircleCheck, label: 'Imported' };
}

/** What the list of its entries is called. */
export function entriesTitle({ state, preview }: Pick<ServerImport, 'state' | 'preview'>): string {
  if (state === 'failed') return 'What it would have done';
  return preview ? 'What it would do' : 'What it did';
}

/** What was imported: `netbox`, or the format. */
export const originOf = ({ source, format }: { source: string | null; format: ImportFormat }): string =>
  source ?? FORMATS[format].label;

const PRUNES: Record<PruneMode, string> = {
  no: '',
  disable: 'switches off what the text no longer names',
  remove: 'removes what the text no longer names',
};

/** What was asked for beyond the text; empty: nothing. */
export const pruneText = ({ prune, pruneLimitPercent }: Pick<ServerImport, 'prune' | 'pruneLimitPercent'>): string =>
  prune === 'no' ? '' : `${PRUNES[prune]}, at most ${pruneLimitPercent} %`;
