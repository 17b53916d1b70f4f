import type { Environment } from '../../../api/types';
import { labelsFault } from '../../../ui/runs/labels';
import type { StartForm } from './start-request';

/** Whether the run starts at a later time. A dry run always starts now. */
export const isLater = ({ mode, startAt }: Pick<StartForm, 'mode' | 'startAt'>): boolean =>
  mode !== 'dry_run' && startAt !== null;

interface Confirmation {
  environment: Pick<Environment, 'name' | 'protected'> | undefined;
  /** Name of the environment as typed by the user. */
  typedName: string;
}

/** Returns what the user must do before the start; null = nothing. */
export function startObstacle(form: StartForm, { environment, typedName }: Confirmation): string | null {
  const { mode, labels, startAt } = form;
  if (environment?.protected && mode !== 'dry_run' && typedName.trim() !== environment.name)
    return `Type ${environment.name} to confirm first`;
  return labelsFault(labels) ?? (isLater(form) && startAt === '' ? 'Choose the time first' : null);
}
