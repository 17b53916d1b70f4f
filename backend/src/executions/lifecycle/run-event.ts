import type { PauseRequester } from './run-state.js';
import type { Reason } from '../../common/http/reason.view.js';
import type { StepSegment } from './segment.js';
import type { DecisionAction, ExecutionMode } from './statuses.js';

export type RunEvent =
  /** A worker took the run, for the first time or from a worker that stopped renewing its lease. */
  | { type: 'claimed' }
  /** The start time and guard keys of a waiting run were checked; the result is in `RunState.admission`. */
  | { type: 'admission_asked' }
  /** Every host of the last `run_step` effect has a result. */
  | { type: 'step_finished' }
  /**
   * These hosts of a free plan have completed their step and can start the next one, while other hosts still run.
   * `within`: the steps that the reporting worker runs. Another worker may run the other steps.
   */
  | { type: 'hosts_finished'; hosts: readonly string[]; within: StepSegment }
  | { type: 'cancel_requested'; by: string; reason: string | null }
  /** The commands of a run in CANCELLING have ended, or their grace period is over. */
  | { type: 'commands_stopped' }
  /** The run's deadline passed, and its commands have ended or their grace period is over. */
  | { type: 'deadline_passed' }
  /** An internal error of the engine: the run cannot continue. */
  | { type: 'engine_failed' }
  /**
   * This installation is a copy and the run belongs to the original one; or the token that started the run ended
   * before its first step.
   */
  | { type: 'abandoned'; reason: Reason }
  /** The run has all approvals that it needs. */
  | { type: 'approved'; by: string }
  | { type: 'rejected'; by: string; comment: string }
  /** No person answered the pause in time. */
  | { type: 'pause_expired' }
  /** A person answered a pause inside the run. `serverIds`: null = the default hosts of the action. */
  | { type: 'decided'; action: DecisionAction; serverIds: readonly string[] | null; by: string; comment: string | null }
  /** A person requested a pause at the next step boundary. */
  | { type: 'pause_requested'; by: PauseRequester }
  | { type: 'mode_changed'; mode: ExecutionMode };

/** Action after a decision was committed. Performing it twice must be harmless. */
export type RunEffect =
  /**
   * Gets a result for each of these hosts: runs the step where nothing was sent yet, otherwise asks the host.
   * `stopping`: starts nothing and ends running commands. `segment`: hosts advance independently between its steps;
   * each step may have its own effect.
   */
  | { type: 'run_step'; index: number; hosts: string[]; stopping: boolean; segment?: StepSegment }
  | { type: 'stop_commands' }
  /** The run waits for a person, or may not begin yet: the worker gives up its lease. */
  | { type: 'wait' }
  /** Makes the run available to workers. */
  | { type: 'enqueue' }
  | { type: 'finish' };
