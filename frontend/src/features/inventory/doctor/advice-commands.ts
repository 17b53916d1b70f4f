export interface CopyableCommand {
  text: string;
  what: string;
}

const KINDS: { what: string; pattern: RegExp }[] = [
  { what: 'key line', pattern: /(?:ssh-|ecdsa-|sk-)[\w@.-]+ AAAA[A-Za-z0-9+/=]+(?: [^\s]+)?/ },
  { what: 'command', pattern: /ssh-keygen -lf \S+?\.pub/ },
  { what: 'sudoers line', pattern: /\S+ ALL=\(root\) NOPASSWD: \/[\w/]+/ },
  { what: 'command', pattern: /sudo -n \/[\w/]+/ },
];

/** Finds commands and lines in an advice, to display them separately. */
export const copyableCommands = (advice: string): CopyableCommand[] =>
  KINDS.flatMap(({ what, pattern }) => {
    const [text] = pattern.exec(advice) ?? [];
    return text === undefined ? [] : [{ text, what }];
  });
