/** Facts about the run that each of its events contains. */
export interface RunFacts {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  status: string;
  execution_mode: string;
  startedBy: { id: string; name: string };
  labels: Record<string, string>;
  webUrl: string;
}

export interface OutboxEvent {
  id: string;
  tenantId: string;
  position: string;
  type: string;
  at: Date;
  environmentId: string | null;
  planId: string | null;
  executionId: string | null;
  /** Payload for receivers: the event of the run stream, plus `run`. */
  data: Record<string, unknown> & { run?: RunFacts };
}

export interface NewOutboxEvent {
  type: string;
  environmentId?: string;
  planId?: string;
  executionId?: string;
  data: object;
}
