import { IconCircleCheck, IconCircleDashed, IconCircleX, IconEye, IconLoader2 } from '@tabler/icons-react';
import type { ImportFormat, PruneMode, ServerImport } from '../../../api/types';
import type { StatusStyle } from '../../../ui/status/statuses';
import { formatLabel } from './form/formats';

export function stateOf({ status, preview }: Pick<ServerImport, 'status' | 'preview'>): StatusStyle {
  if (status === 'pending') return { tone: 'idle', icon: IconCircleDashed, label: 'Waiting' };
  if (status === 'running') return { tone: 'active', icon: IconLoader2, label: preview ? 'Comparing' : 'Importing' };
  if (status === 'failed') return { tone: 'bad', icon: IconCircleX, label: preview ? 'Cannot be imported' : 'Failed' };
  return preview
    ? { tone: 'active', icon: IconEye, label: 'Preview ready' }
    : { tone: 'good', icon: IconCircleCheck, label: 'Imported' };
}

export function entriesTitle({ status, preview }: Pick<ServerImport, 'status' | 'preview'>): string {
  if (status === 'failed') return 'Planned actions';
  return preview ? 'Planned actions' : 'Completed actions';
}

/** Returns the source of an import, such as `netbox`; the format if there is no source. */
export const originOf = ({ source, format }: { source: string | null; format: ImportFormat }): string =>
  source ?? formatLabel(format);

const PRUNE_TEXTS: Record<PruneMode, string> = {
  no: '',
  disable: 'disables servers missing in the text',
  remove: 'deletes servers missing in the text',
};

/** Describes the pruning options; empty: the defaults. */
export const pruneText = ({ prune, pruneLimitPercent }: Pick<ServerImport, 'prune' | 'pruneLimitPercent'>): string =>
  prune === 'no' ? '' : `${PRUNE_TEXTS[prune]}, at most ${pruneLimitPercent} %`;
