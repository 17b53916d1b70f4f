export type Outcome = 'registered' | 'verified' | 'again' | 'failed' | 'refused';

/** Answer to a host, parsed line by line by the script. */
export interface HostAnswer {
  outcome: Outcome;
  /** Messages for the terminal of the host. For `again`, `failed` and `refused`, the last message is the reason. */
  say: readonly string[];
  /** Line for `authorized_keys`. */
  key?: string;
}

/** Formats the answer as lines of a keyword and its value. */
export const answerText = ({ outcome, say: messages, key }: HostAnswer): string =>
  [
    `outcome ${outcome}`,
    ...messages.map((text) => `say ${plain(text)}`),
    ...(key === undefined ? [] : [`key ${plain(key)}`]),
    '',
  ].join('\n');

/** Replaces control characters: a name could add lines or contain terminal escape sequences. */
const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1000);
