export type SameBy = 'address' | 'host_key';

export interface OtherServer {
  serverId: string;
  serverName: string;
  environmentId: string;
  environmentName: string;
}

export interface ProtectedHost extends OtherServer {
  askedId: string;
  name: string;
  by: SameBy;
}

export interface RunTime {
  createdAt: Date;
  /** Whether a step may have started. If false, later protection applies too, provided it is confirmed. */
  begun: boolean;
}
