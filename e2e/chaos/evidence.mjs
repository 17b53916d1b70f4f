/**
 * Evidence: records that each command writes on its host. Contains the text of the commands and the parser of their
 * records.
 *
 * A command records each line before it prints the line, so the records may be ahead of the output but never behind it.
 * Times are in seconds since the boot of the host; that clock is never set.
 */
import { readFileSync } from 'node:fs';
import { CHANGED_EXIT_CODE, HANG_SECONDS } from './plans.mjs';

const padding = (bytes) => '.'.repeat(bytes);

const NOTE = `note() { echo "$*" >> "$CHAOS_EVIDENCE"; }`;
const on = (hosts, then) =>
  hosts.length > 0 ? `case " ${hosts.join(' ')} " in *" $CHAOS_HOST "*) ${then} ;; esac\n` : '';

/**
 * Returns the POSIX shell text of a step. With `uses`, `$1` is the value of the output.
 * @param {import('./plans.mjs').Step} step
 */
export function commandOf(step) {
  const { key, failsFirst } = step;
  const first = failsFirst ? `[ "$attempt" -gt ${failsFirst.attempts} ] || code=${step.exitCode}` : '';
  return `read -r up rest < /proc/uptime
read -r boot < /proc/sys/kernel/random/boot_id
nonce=$$.$up
run=$RUNWARD_EXECUTION_ID
attempt=\${RUNWARD_ATTEMPT:-0}
${NOTE}
note start "$run" ${key} "$nonce" "$up" "\${RUNWARD_DISPATCH_ID:--}" "$boot" "$attempt"
${step.uses ? `note got "$run" ${key} "$nonce" "$up" "$1"\n` : ''}i=0
lines=${step.lines}
${on(step.hangOn, `lines=${HANG_SECONDS}`)}while [ $i -lt $lines ]; do
  i=$((i + 1))
  read -r up rest < /proc/uptime
  note line "$run" ${key} "$nonce" "$up" $i
  echo "$nonce $i ${padding(step.padBytes)}"
  sleep ${step.pauseSeconds}
done
${step.outputs ? 'echo "token=$nonce" >> "$RUNWARD_OUTPUT"\n' : ''}code=0
${on(step.changeOn, `code=${CHANGED_EXIT_CODE}`)}${on(failsFirst?.hosts ?? [], first)}${on(step.failOn, `code=${step.exitCode}`)}read -r up rest < /proc/uptime
note end "$run" ${key} "$nonce" "$up" $code
exit $code
`;
}

/**
 * One start of a command, as its host recorded it.
 * @typedef {{ host: string, run: string, step: string, nonce: string, dispatchId: string | null, attempt: number, boot:
 *   string, startedAt: number, lastAt: number, lines: number, got: string | null, exitCode: number | null }} Start
 * `lastAt`: last sign of activity; `exitCode`: null until the command ends; `got`: value received from an earlier
 * step's output
 */

/**
 * @param {Set<string>} past runs of earlier trials, whose commands may still be running
 * @returns {Start[]} in order of start
 */
export function readEvidence(host, file, past) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return [];
  }
  return parseEvidence(host, text, past);
}

/** @returns {Start[]} */
export function parseEvidence(host, text, past = new Set()) {
  const starts = new Map();
  for (const line of text.split('\n').filter(Boolean)) {
    const [kind, run, step, nonce, at, value, boot, attempt] = line.split(' ');
    if (past.has(run)) continue;
    const key = `${run} ${step} ${nonce}`;
    if (kind === 'start') {
      const dispatchId = value === '-' ? null : value;
      const first = { host, run, step, nonce, dispatchId, attempt: Number(attempt), boot };
      starts.set(key, { ...first, startedAt: Number(at), lastAt: Number(at), lines: 0, got: null, exitCode: null });
      continue;
    }
    const start = starts.get(key);
    if (!start) throw new Error(`The evidence of ${host} contains a line of a command that never started: ${line}`);
    start.lastAt = Number(at);
    if (kind === 'line') start.lines = Number(value);
    if (kind === 'got') start.got = value;
    if (kind === 'end') start.exitCode = Number(value);
  }
  return [...starts.values()];
}
