import type { EnvironmentAccess, GrantLevel, RunMode } from '../../api/types';

export const ACCESS_CHOICES: { value: EnvironmentAccess; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'restricted', label: 'Restricted' },
];

export const ACCESS_MEANINGS: Record<EnvironmentAccess, string> = {
  open: 'Every member sees it, and every operator may run there.',
  restricted: 'Only members with a grant, and admins. For anybody else it does not exist, with all that hangs on it.',
};

export const LEVEL_NAMES: Record<GrantLevel, string> = { view: 'View', run: 'Run', approve: 'Approve' };

export const RUN_MODE_CHOICES: { value: RunMode; label: string; description: string }[] = [
  { value: 'auto', label: 'Auto', description: 'Step after step without asking again.' },
  { value: 'semi_assisted', label: 'Semi-assisted', description: 'Stops for a person where a step says so, or fails.' },
  { value: 'interactive', label: 'Interactive', description: 'A person decides before each step.' },
  { value: 'dry_run', label: 'Dry run', description: 'Shows what would happen; changes nothing.' },
];
