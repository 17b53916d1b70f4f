/** What the program ends with. Promised in `--help` and docs/cli.md: a code is never given another meaning. */
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

/** What a shell expects of a program that a signal ended. */
export const EXIT_OF_SIGNAL = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
export type EndingSignal = keyof typeof EXIT_OF_SIGNAL;
/** The reader of a pipe has gone, as SIGPIPE ends other programs. */
export const EXIT_OF_CLOSED_PIPE = 141;

export const EXIT_HELP = `
Exit codes:
  0  succeeded; without --wait or --follow: the run was started
  1  failed, cancelled or ran out of its time
  2  the command, its input or the credentials have to be corrected
  3  partially succeeded: some hosts failed within the plan's limits
  4  waits for an approval, or for another decision of a person (--on-pause=exit)
  5  rejected, or expired because nobody decided
  6  refused: overlap with another run, frozen, digest changed, or not permitted
  7  result not known: hosts without a result, or --timeout ended the wait
  8  the service could not be reached, or gave no usable answer
 130, 143  ended by Ctrl-C or SIGTERM: the run goes on`;
