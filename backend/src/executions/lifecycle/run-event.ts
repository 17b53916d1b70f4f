/** What may happen to a run. */
export type RunEvent =
  /** A worker took the run over: for the first time, or from one that fell silent. */
  | { type: 'claimed' }
  /** Every host of the current step has a result. */
  | { type: 'step_finished' }
  /** A person asked to cancel. */
  | { type: 'cancel_requested'; by: string; reason: string | null }
  /** The commands of a run that is being cancelled have ended, or the grace is over. */
  | { type: 'commands_stopped' }
  /** The run's own deadline passed, and its commands have ended or the grace is over. */
  | { type: 'deadline_passed' }
  /** The engine met a fault of its own and can't go on with this run. */
  | { type: 'engine_failed' };

/** What is to be done after a decision was committed. Performing one twice must be harmless. */
export type Effect =
  /** Run the step on these hosts, at the same time within the limits. */
  | { type: 'run_step'; index: number; hosts: string[] }
  /** End the commands that are running. */
  | { type: 'stop_commands' }
  /** Nothing is left to do: the run is finished. */
  | { type: 'finish' };
