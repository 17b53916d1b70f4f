import { useQuery } from '@tanstack/react-query';
import { meQuery } from '../api/queries/access/session';
import type { Role } from '../api/types';
import { missingRole } from './roles';

export interface Access {
  /** Returns why the signed-in member lacks this role; null = the member has it. */
  missing: (needed: Role) => string | null;
  can: (needed: Role) => boolean;
}

export function useAccess(): Access {
  const { data: me } = useQuery(meQuery);
  return {
    missing: (needed) => missingRole(me?.role, needed),
    can: (needed) => missingRole(me?.role, needed) === null,
  };
}
