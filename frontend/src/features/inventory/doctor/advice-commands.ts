/** What of an advice a person would copy. */
export interface Copyable {
  text: string;
  /** What it is, for the name of the button. */
  what: string;
}

const KINDS: { what: string; pattern: RegExp }[] = [
  { what: 'key line', pattern: /(?:ssh-|ecdsa-|sk-)[\w@.-]+ AAAA[A-Za-z0-9+/=]+(?: [^\s]+)?/ },
  { what: 'command', pattern: /ssh-keygen -lf \S+?\.pub/ },
  { what: 'sudoers line', pattern: /\S+ ALL=\(root\) NOPASSWD: \/[\w/]+/ },
  { what: 'command', pattern: /sudo -n \/[\w/]+/ },
];

/** Commands and lines that stand in an advice, to be shown by themselves. */
export const copyablesOf = (advice: string): Copyable[] =>
  KINDS.flatMap(({ what, pattern }) => {
    const [text] = pattern.exec(advice) ?? [];
    return text === undefined ? [] : [{ text, what }];
  });
