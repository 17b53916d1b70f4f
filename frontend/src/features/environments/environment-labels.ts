import type { EnvironmentAccess, GrantLevel } from '../../api/types';

export const ACCESS_NAMES: Record<EnvironmentAccess, string> = { open: 'Open', restricted: 'Restricted' };

export const ACCESS_MEANINGS: Record<EnvironmentAccess, string> = {
  open: 'All members can view it, and all operators can run plans in it.',
  restricted: 'Visible only to admins and members with a grant.',
};

export const LEVEL_NAMES: Record<GrantLevel, string> = { view: 'View', run: 'Run', approve: 'Approve' };
