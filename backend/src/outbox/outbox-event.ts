/** Facts about the run, in each event of it. */
export interface RunFacts {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  /** Status when the event was stored. */
  status: string;
  execution_mode: string;
  startedBy: { id: string; name: string };
  labels: Record<string, string>;
  /** Page of the run in the dashboard. */
  webUrl: string;
}

export interface OutboxEvent {
  id: string;
  tenantId: string;
  /** Ascending per run. */
  position: string;
  type: string;
  at: Date;
  environmentId: string | null;
  planId: string | null;
  executionId: string | null;
  /** Payload for receivers: the event of the run stream, plus `run`. */
  data: Record<string, unknown> & { run?: RunFacts };
}

/** Event outside runs, before it is stored. */
export interface NewOutboxEvent {
  type: string;
  environmentId?: string;
  planId?: string;
  executionId?: string;
  data: object;
}
