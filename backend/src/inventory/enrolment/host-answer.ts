export type EnrolmentOutcome = 'registered' | 'verified' | 'again' | 'failed' | 'refused';

export interface HostAnswer {
  outcome: EnrolmentOutcome;
  /**
   * Messages for the terminal of the host. With the outcome `again`, `failed` or `refused`, the last message is the
   * reason.
   */
  say: readonly string[];
  key?: string;
}

export const formatHostAnswer = ({ outcome, say: messages, key }: HostAnswer): string =>
  [
    `outcome ${outcome}`,
    ...messages.map((text) => `say ${toPlainLine(text)}`),
    ...(key === undefined ? [] : [`key ${toPlainLine(key)}`]),
    '',
  ].join('\n');

/** Replaces control characters. Otherwise a name could add lines or contain terminal escape sequences. */
const toPlainLine = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1000);
