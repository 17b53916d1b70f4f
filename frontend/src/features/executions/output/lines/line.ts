/** Line of the output of a run. */
export interface Line {
  stepKey: string;
  serverId: string;
  serverName: string;
  stream: 'stdout' | 'stderr';
  /** Line number on this host in this step, from 1. */
  number: number;
  text: string;
  /** Only the beginning of a very long line was loaded. */
  truncated?: true;
  at: string;
}
