export type Outcome = 'registered' | 'verified' | 'again' | 'failed' | 'refused';

export interface HostAnswer {
  outcome: Outcome;
  /**
   * Messages for the terminal of the host. With the outcome `again`, `failed` or `refused`, the last message is the
   * reason.
   */
  say: readonly string[];
  key?: string;
}

export const answerText = ({ outcome, say: messages, key }: HostAnswer): string =>
  [
    `outcome ${outcome}`,
    ...messages.map((text) => `say ${plain(text)}`),
    ...(key === undefined ? [] : [`key ${plain(key)}`]),
    '',
  ].join('\n');

/** Replaces control characters. Otherwise a name could add lines or contain terminal escape sequences. */
const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1000);
