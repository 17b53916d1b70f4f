import type { ImportFormat, PruneWay, ServerImport } from '../../../api/types';
import type { AnyStatus } from '../../../ui/status/statuses';
import { FORMATS } from './form/formats';

/** How the state of an import is drawn, and called. */
export function stateOf({ state, preview }: Pick<ServerImport, 'state' | 'preview'>): {
  status: AnyStatus;
  label: string;
} {
  if (state === 'pending') return { status: 'PENDING', label: 'Waiting' };
  if (state === 'running') return { status: 'RUNNING', label: preview ? 'Comparing' : 'Importing' };
  if (state === 'failed') return { status: 'FAILED', label: preview ? 'Can’t be imported' : 'Failed' };
  return { status: 'SUCCEEDED', label: preview ? 'Preview ready' : 'Imported' };
}

/** What was imported: `netbox`, or the format. */
export const originOf = ({ source, format }: { source: string | null; format: ImportFormat }): string =>
  source ?? FORMATS[format].label;

const PRUNES: Record<PruneWay, string> = {
  no: '',
  disable: 'switches off what the text no longer names',
  remove: 'removes what the text no longer names',
};

/** What was asked for beyond the text; empty: nothing. */
export const pruneText = ({ prune, pruneLimitPercent }: Pick<ServerImport, 'prune' | 'pruneLimitPercent'>): string =>
  prune === 'no' ? '' : `${PRUNES[prune]}, at most ${pruneLimitPercent} %`;
