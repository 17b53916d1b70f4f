import type { EnvironmentAccess, GrantLevel, RunMode } from '../../api/types';

export const ACCESS_CHOICES: { value: EnvironmentAccess; label: string }[] = [
  { value: 'open', label: 'Open' },
  { value: 'restricted', label: 'Restricted' },
];

export const ACCESS_MEANINGS: Record<EnvironmentAccess, string> = {
  open: 'All members can view it, and all operators can run plans in it.',
  restricted: 'Visible only to admins and members with a grant.',
};

export const LEVEL_NAMES: Record<GrantLevel, string> = { view: 'View', run: 'Run', approve: 'Approve' };

export const RUN_MODE_CHOICES: { value: RunMode; label: string; description: string }[] = [
  { value: 'auto', label: 'Auto', description: 'Runs all steps without asking.' },
  {
    value: 'semi_assisted',
    label: 'Semi-assisted',
    description: 'Asks before marked steps and after hosts fail a step.',
  },
  { value: 'interactive', label: 'Interactive', description: 'Asks before each step.' },
  { value: 'dry_run', label: 'Dry run', description: 'Predicts results and changes nothing.' },
];
