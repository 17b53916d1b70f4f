import type { EventPayloads, EventType } from './event-types.js';

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
  type: EventType;
  at: Date;
  environmentId: string | null;
  planId: string | null;
  executionId: string | null;
  /** Payload for receivers: the event of the run stream, plus `run`. */
  data: Record<string, unknown> & { run?: RunFacts };
}

interface EventOf<T extends EventType, D extends object> {
  type: T;
  environmentId?: string;
  planId?: string;
  executionId?: string;
  data: D;
}

export type NewOutboxEvent =
  | EventOf<Exclude<EventType, keyof EventPayloads>, object>
  | { [T in keyof EventPayloads]: EventOf<T, EventPayloads[T]> }[keyof EventPayloads];
