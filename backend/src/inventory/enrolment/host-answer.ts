/** What became of a request of a host. */
export type Outcome = 'registered' | 'verified' | 'again' | 'failed' | 'refused';

/** What a host is answered; a shell reads it line by line. */
export interface HostAnswer {
  outcome: Outcome;
  /** Sentences for whoever looks at the host. Of an outcome that is no success the last one says why. */
  say: readonly string[];
  /** The line for `authorized_keys`. */
  key?: string;
}

/** As text: one word and what belongs to it a line. */
export const answerText = ({ outcome, say, key }: HostAnswer): string =>
  [
    `outcome ${outcome}`,
    ...say.map((text) => `say ${plain(text)}`),
    ...(key === undefined ? [] : [`key ${plain(key)}`]),
    '',
  ].join('\n');

/** Names may hold anything; a terminal may take some of it for its own. */
const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, 1000);
