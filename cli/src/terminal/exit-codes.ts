/** Exit codes, as documented in `--help` and docs/cli.md. The meaning of a code never changes. */
export const EXIT = {
  succeeded: 0,
  failed: 1,
  usage: 2,
  partial: 3,
  waits: 4,
  rejected: 5,
  refused: 6,
  unknown: 7,
  unreachable: 8,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** 128 + number of the signal, as in shells. */
export const EXIT_CODE_BY_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type EndingSignal = keyof typeof EXIT_CODE_BY_SIGNAL;
/** Exit code when the reader of the pipe has closed it (SIGPIPE). */
export const CLOSED_PIPE_EXIT_CODE = 141;

export const EXIT_HELP = `
Exit codes:
  0  succeeded; without --wait or --follow: the run was started
  1  failed, cancelled or timed out
  2  invalid command, input or credentials
  3  partially succeeded: some hosts failed within the plan's limits
  4  waits for an approval or a decision (--on-pause=exit)
  5  rejected, or expired without a decision
  6  refused: overlap with another run, frozen, digest changed, or not permitted
  7  unknown result: hosts without a result, or --timeout passed
  8  the service could not be reached, or gave no usable response
 130, 143  ended by Ctrl-C or SIGTERM: the run continues`;
