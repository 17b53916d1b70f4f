import { usage } from '../terminal/failure.ts';
import { isId } from './find.ts';

export function parseRunId(argument: string): string {
  const text = /\/executions\/([0-9a-f-]{36})(?:[/?#]|$)/i.exec(argument)?.[1] ?? argument;
  if (!isId(text))
    throw usage(`"${argument}" is not a run: use its id or the address of its page. \`runward run list\` shows both.`);
  return text.toLowerCase();
}
