import type { StatusReason } from './run-state.js';
import type { Segment } from './segment.js';
import type { DecisionAction, ExecutionMode } from './statuses.js';

export type RunEvent =
  /** A worker took the run over: for the first time, or from a worker that stopped renewing its lease. */
  | { type: 'claimed' }
  /** Somebody looked whether a run that waits for its time or the guard may take its place (`Admission`). */
  | { type: 'admission_asked' }
  /** Every host that the last effect named has a result. */
  | { type: 'step_finished' }
  /**
   * These hosts have no step to run at the moment, while others of the run may: where the plan is free, they may go on.
   * `within`: what whoever tells it runs; it has nothing to do with other steps, which may be another worker's by now.
   */
  | { type: 'hosts_finished'; hosts: readonly string[]; within: Segment }
  /** A person asked to cancel. */
  | { type: 'cancel_requested'; by: string; reason: string | null }
  /** The commands of a run that is being cancelled have ended, or the grace is over. */
  | { type: 'commands_stopped' }
  /** The run's own deadline passed, and its commands have ended or the grace is over. */
  | { type: 'deadline_passed' }
  /** The engine met a fault of its own and can't go on with this run. */
  | { type: 'engine_failed' }
  /**
   * This installation gave the run up: it belongs to the installation that this one is a copy of; or, before its first
   * step, the token that started it has ended.
   */
  | { type: 'abandoned'; reason: StatusReason }
  /** Enough people approved what the run waits with. */
  | { type: 'approved'; by: string }
  | { type: 'rejected'; by: string; comment: string }
  /** Nobody answered a pause in time. */
  | { type: 'pause_expired' }
  /** A person answered a pause inside the run. `serverIds` null: the action's usual hosts. */
  | { type: 'decided'; action: DecisionAction; serverIds: readonly string[] | null; by: string; comment: string | null }
  /** A person asked for a pause at the next step boundary. */
  | { type: 'pause_requested'; by: string }
  | { type: 'mode_changed'; mode: ExecutionMode };

/** Action after a decision was committed. Performing it twice must be harmless. */
export type Effect =
  /**
   * Gets a result for each of these hosts: runs the step where nothing was sent yet, asks the host where something was
   * sent. `stopping`: starts nothing any more and ends running commands. `segment`: hosts advance independently between
   * these steps, and there may be such an effect for each of them.
   */
  | { type: 'run_step'; index: number; hosts: string[]; stopping: boolean; segment?: Segment }
  /** End the commands that are running. */
  | { type: 'stop_commands' }
  /** The run waits for a person, or may not begin yet: let go of it. */
  | { type: 'wait' }
  /** A worker should take the run up. */
  | { type: 'enqueue' }
  /** Nothing is left to do: the run is finished. */
  | { type: 'finish' };
