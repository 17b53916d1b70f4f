import { createHash } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { ReasonCode } from '../../common/errors/reason-codes.js';
import { toHostReason } from '../../common/http/reason.view.js';
import type { FailureCausesView, FailureCauseView } from '../contract/failure-causes.view.js';
import type { HostStatus } from '../lifecycle/statuses.js';

export interface Failure {
  stepIndex: number;
  stepKey: string;
  serverId: string;
  serverName: string;
  hostname: string;
  status: HostStatus;
  exitCode: number | null;
  code: ReasonCode | null;
  message: string | null;
  /** End of the stored output of each stream; null: no output. */
  stderr: Buffer | null;
  stdout: Buffer | null;
}

export const MAX_CAUSES = 100;
const MAX_TEXT_LENGTH = 300;
/** Reasons that only refer to the output, so the output says more. */
const CODES_EXPLAINED_BY_OUTPUT: ReadonlySet<ReasonCode | null> = new Set([null, 'exit_code', 'not_run', 'killed']);

/** Text after which hosts differ only in details: each number, address, ID and the name of the host is `…`. */
export function toPattern(text: string, { serverName, hostname }: Pick<Failure, 'serverName' | 'hostname'>): string {
  const names = [serverName, hostname, serverName.split('.')[0] ?? '', hostname.split('.')[0] ?? '']
    .filter((name) => name.length > 1)
    .toSorted((a, b) => b.length - a.length);
  const withoutNames = names.reduce((result, name) => replaceWord(result, name), text);
  return withoutNames
    .replaceAll(/\b[0-9a-f]{7,}\b|\b0x[0-9a-f]+\b/gi, (word) => (/\d/.test(word) ? '…' : word))
    .replaceAll(/\d+/g, '…')
    .replaceAll(/…(?:[.:/T-]*…)+/g, '…');
}

/** Replaces a name where no letter, digit or hyphen adjoins it. */
function replaceWord(text: string, name: string): string {
  let result = '';
  let from = 0;
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, from)) {
    const end = at + name.length;
    const isWord =
      !/[\p{L}\p{N}-]$/u.test(text.slice(0, at).slice(-2)) && !/^[\p{L}\p{N}-]/u.test(text.slice(end, end + 2));
    result += text.slice(from, at) + (isWord ? '…' : name);
    from = end;
  }
  return result + text.slice(from);
}

/** Last line with visible text, in its last state after carriage returns; null: there is none. */
export function findLastLine(output: Buffer | null): string | null {
  if (!output) return null;
  const lines = stripVTControlCharacters(output.toString('utf8')).split('\n');
  for (const line of lines.toReversed()) {
    const state = line.replace(/\r+$/, '').split('\r').at(-1) ?? '';
    const visible = state.replaceAll(/\p{Cc}+/gu, ' ').trim();
    if (visible !== '') return Array.from(visible).slice(0, MAX_TEXT_LENGTH).join('');
  }
  return null;
}

const toText = ({ code, message, stderr, stdout }: Failure): string | null =>
  CODES_EXPLAINED_BY_OUTPUT.has(code) ? (findLastLine(stderr) ?? findLastLine(stdout) ?? message) : message;

/** Groups failures by step, status, exit code, reason and pattern of their text. */
export class FailureGroups {
  private readonly causes = new Map<string, FailureCauseView & { stepIndex: number }>();

  /** @param failures in the order in which they occurred, after those that were added before */
  add(failures: readonly Failure[]): void {
    for (const failure of failures) {
      const { stepKey, stepIndex, status, exitCode, code, message, serverId, serverName } = failure;
      const text = toText(failure)?.slice(0, MAX_TEXT_LENGTH) ?? null;
      const pattern = text === null ? null : toPattern(text, failure);
      const identity = JSON.stringify([stepKey, status, exitCode, code, pattern]);
      const known = this.causes.get(identity);
      if (known) {
        known.serverIds.push(serverId);
        if (known.text !== text) known.text = pattern;
        continue;
      }
      this.causes.set(identity, {
        key: createHash('sha256').update(identity).digest('hex').slice(0, 12),
        ...{ stepKey, status, exitCode, text, stepIndex },
        reason: toHostReason(code, message),
        firstHost: { serverId, serverName },
        serverIds: [serverId],
      });
    }
  }

  toView(): FailureCausesView {
    const sorted = [...this.causes.values()].toSorted(
      (a, b) => b.serverIds.length - a.serverIds.length || a.stepIndex - b.stepIndex,
    );
    const rest = sorted.slice(MAX_CAUSES);
    return {
      items: sorted.slice(0, MAX_CAUSES).map(({ stepIndex: _, ...cause }) => cause),
      moreCauses: rest.length,
      moreFailures: rest.reduce((sum, { serverIds }) => sum + serverIds.length, 0),
    };
  }
}
