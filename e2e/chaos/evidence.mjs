/**
 * What the hosts themselves write of each command: the text of the commands, and how to read their lines.
 *
 * A command writes a line before it prints one, so what is on record may be ahead of what was printed, never behind. Times are the
 * host's seconds since its boot: nobody sets that clock.
 */
import { readFileSync } from 'node:fs';

/** What a line of output holds besides the number, to make some of them long. */
const padding = (bytes) => '.'.repeat(bytes);

/**
 * POSIX shell text of a step.
 * @param {{ key: string, lines: number, pauseSeconds: number, padBytes: number, failOn: string[], exitCode: number }} step
 */
export function commandOf(step) {
  return `read -r up rest < /proc/uptime
read -r boot < /proc/sys/kernel/random/boot_id
nonce=$$.$up
note() { echo "$*" >> "$CHAOS_EVIDENCE"; }
note start "$CHAOS_RUN" ${step.key} "$nonce" "$up" "\${RUNWARD_DISPATCH_ID:--}" "$boot"
i=0
while [ $i -lt ${step.lines} ]; do
  i=$((i + 1))
  read -r up rest < /proc/uptime
  note line "$CHAOS_RUN" ${step.key} "$nonce" "$up" $i
  echo "$nonce $i ${padding(step.padBytes)}"
  sleep ${step.pauseSeconds}
done
code=0
case " ${step.failOn.join(' ')} " in *" $CHAOS_HOST "*) code=${step.exitCode} ;; esac
read -r up rest < /proc/uptime
note end "$CHAOS_RUN" ${step.key} "$nonce" "$up" $code
exit $code
`;
}

/**
 * One start of a command on a host, as the host saw it.
 * @typedef {{ host: string, marker: string, step: string, nonce: string, dispatchId: string | null, boot: string,
 *   startedAt: number, lastAt: number, lines: number, exitCode: number | null }} Start
 * `lastAt`: when it was last seen at work; `exitCode`: null while it did not come to its end.
 */

/** @returns {Start[]} in the order in which they began */
export function readEvidence(host, file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return parseEvidence(host, text);
}

/** @returns {Start[]} */
export function parseEvidence(host, text) {
  const starts = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const [kind, marker, step, nonce, at, value, boot] = line.split(' ');
    const key = `${marker} ${step} ${nonce}`;
    if (kind === 'start') {
      const dispatchId = value === '-' ? null : value;
      const first = { host, marker, step, nonce, dispatchId, boot, startedAt: Number(at), lastAt: Number(at) };
      starts.set(key, { ...first, lines: 0, exitCode: null });
      continue;
    }
    const start = starts.get(key);
    if (!start) throw new Error(`The evidence of ${host} holds a line of a command that never started: ${line}`);
    start.lastAt = Number(at);
    if (kind === 'line') start.lines = Number(value);
    if (kind === 'end') start.exitCode = Number(value);
  }
  return [...starts.values()];
}
