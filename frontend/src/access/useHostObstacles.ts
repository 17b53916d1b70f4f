import { useQuery } from '@tanstack/react-query';
import { environmentQuery } from '../api/queries/inventory/environments';
import { meQuery } from '../api/queries/access/session';
import type { Server } from '../api/types';
import { deletionObstacle, hostObstacle } from './environment-access';

/** Reasons why the signed-in member can't change or delete the host of a server; null = no reason. */
export interface HostObstacles {
  change: string | null;
  deletion: string | null;
}

const NO_OBSTACLES: HostObstacles = { change: null, deletion: null };

export function useHostObstacles(server: Server): HostObstacles {
  const { data: me } = useQuery(meQuery);
  const { data: environment } = useQuery(environmentQuery(server.environmentId));
  if (!environment) return NO_OBSTACLES;
  return {
    change: hostObstacle(me?.role, environment, server),
    deletion: deletionObstacle(me?.role, environment, server),
  };
}
