/** What a run is called and belongs to, with each of its events. */
export interface RunFacts {
  id: string;
  planId: string;
  planName: string;
  planRevision: number;
  environmentId: string;
  environmentName: string;
  /** As it was when the event was stored. */
  status: string;
  execution_mode: string;
  startedBy: { id: string; name: string };
  labels: Record<string, string>;
  /** Where people look at it. */
  webUrl: string;
}

/** An event on its way to those who deliver it. */
export interface OutboxEvent {
  id: string;
  tenantId: string;
  /** Ascends per run. */
  position: string;
  type: string;
  /** When the change was made that it tells of. */
  at: Date;
  environmentId: string | null;
  planId: string | null;
  executionId: string | null;
  /** What is told outside: of a run as in its stream, and `run` with what is to be known of it. */
  data: Record<string, unknown> & { run?: RunFacts };
}

/** An event that is about to be stored, of anything but a run. */
export interface NewOutboxEvent {
  type: string;
  environmentId?: string;
  planId?: string;
  executionId?: string;
  data: object;
}
